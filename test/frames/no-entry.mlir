// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where no function is an entry point the arenas would stay on the heap: that is an error, as nobody asked for it.

// RUN: split-file %s %t
// RUN: not stowage-opt %t/public.mlir --merge-alloc=arena=argument 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: not stowage-opt %t/private.mlir --merge-alloc=arena=global 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: not stowage-opt %t/private.mlir --merge-alloc="arena=argument public" 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: not stowage-opt %t/recursive.mlir --merge-alloc=arena=stack 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: not stowage-opt %t/promises.mlir --merge-alloc=arena=callback 2>&1 | FileCheck %s --check-prefix=PROMISES
// RUN: not stowage-opt %t/private.mlir --stowage-memory=arena=global 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: stowage-opt %t/declared.mlir --merge-alloc=arena=global | FileCheck %s --check-prefix=DECLARED

// UNNAMED: error: merge-alloc: arena needs an entry point, and no function is one: it is public; name it in entries, or set public
// PRIVATE: error: merge-alloc: arena needs an entry point, and no function is one: none is public; make those public that are called from outside
// RECURSIVE: no function is one: it may call itself; leave arena=alloc
// PROMISES: no function is one: it promises what memory it touches; take off llvm.readnone, memory_effects or passthrough
// DECLARED: func.func private @declared

//--- public.mlir
func.func @f(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return
}

//--- private.mlir
func.func private @f(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return
}

//--- recursive.mlir
func.func @f(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  call @f(%a) : (memref<4xf32>) -> ()
  return
}

//--- promises.mlir
func.func @f(%x: memref<4xf32>) attributes {llvm.readnone} {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  return
}

//--- declared.mlir
func.func private @declared(%x: memref<4xf32>)
