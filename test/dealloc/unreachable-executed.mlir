// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// What stands in blocks that cannot be reached is never done: nothing is left alone or taken for freed because
// of it.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @frees_nowhere(%a: memref<2xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<2xi64>
  return %v : i64
^never:
  memref.dealloc %a : memref<2xi64>
  %zero = arith.constant 0 : i64
  return %zero : i64
}

func.func private @returns_new(%a: memref<2xi64>) -> memref<2xi64> {
  %new = memref.alloc() : memref<2xi64>
  memref.copy %a, %new : memref<2xi64> to memref<2xi64>
  return %new : memref<2xi64>
^never:
  return %a : memref<2xi64>
}

func.func private @joins(%c: i1, %first: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %x = memref.alloc() : memref<2xi64>
  memref.store %first, %x[%c0] : memref<2xi64>
  cf.br ^join(%x : memref<2xi64>)
^never(%other: memref<2xi64>):
  memref.dealloc %other {stowage.by_bit} : memref<2xi64>
  memref.dealloc %x {stowage.by_bit} : memref<2xi64>
  cf.cond_br %c, ^join(%other : memref<2xi64>), ^never(%x : memref<2xi64>)
^join(%y: memref<2xi64>):
  %v = memref.load %y[%c0] : memref<2xi64>
  %w = arith.addi %v, %one : i64
  return %w : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %yes = arith.constant true
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<2xi64>
  memref.store %three, %a[%c0] : memref<2xi64>
  %x = func.call @frees_nowhere(%a) : (memref<2xi64>) -> i64
  vector.print %x : i64
  %b = func.call @returns_new(%a) : (memref<2xi64>) -> memref<2xi64>
  %y = memref.load %b[%c0] : memref<2xi64>
  vector.print %y : i64
  %z = func.call @joins(%yes, %y) : (i1, i64) -> i64
  vector.print %z : i64
  return
}
