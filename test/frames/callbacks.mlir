// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=arena=callback --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=arena=callback --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --merge-alloc="arena=callback callback=take" --buffer-deallocation | FileCheck %s --check-prefix=BORROWED
// RUN: not stowage-opt %s --merge-alloc="arena=callback callback=other" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not stowage-opt %s --merge-alloc="arena=callback callback=half" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not stowage-opt %s --merge-alloc="arena=callback callback=bytes" 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: sed 's|// ADDED ||' %s > %t.two && not stowage-opt %t.two --merge-alloc=arena=global 2>&1 | FileCheck %s --check-prefix=TWO

// What the callback must be, and is not.
// TYPE: callbacks.mlir:[[@LINE+1]]:{{.*}} error: merge-alloc: for arena=callback 'other' must be a func.func (index, index) -> memref<?xi8>: give this symbol another name, or set callback
func.func private @other(i64, i64) -> !llvm.ptr

func.func private @half(index, index) -> memref<?xi8>
// HALF: callbacks.mlir:[[@LINE+1]]:{{.*}} error: merge-alloc: for arena=callback 'half_release' must be a func.func (memref<?xi8>) -> ()
func.func private @half_release(memref<?xi8>, index)

// SYMBOL: callbacks.mlir:[[@LINE+1]]:{{.*}} error: merge-alloc: for arena=callback 'bytes' must be
memref.global "private" @bytes : memref<4xi8> = dense<0>

// A declared callback's memory is its counterpart's to free: deallocation leaves it alone.
// BORROWED-DAG: func private @take(index, index) -> (memref<?xi8> {stowage.borrowed}) attributes {llvm.emit_c_interface}
// BORROWED-LABEL: func @f(
// BORROWED:         call @take(
// BORROWED:         call @take_release(
// BORROWED-NOT:     memref.dealloc
// BORROWED:         return

// What gives memory takes none from itself.
// REMARK: callbacks.mlir:[[@LINE+7]]:{{.*}} no-frame {{.*}}it gives or takes back the memory of arenas
// CHECK-LABEL: func @stowage_arena(
// CHECK-NOT:     call @stowage_arena(
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NOT:     call @stowage_arena(
// CHECK:         return
// CHECK-LABEL: func @stowage_arena_release(
func.func @stowage_arena(%bytes: index, %alignment: index) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %log = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%log : memref<64xf32>)
  linalg.exp ins(%log : memref<64xf32>) outs(%log : memref<64xf32>)
  %given = memref.alloc(%bytes) {alignment = 64} : memref<?xi8>
  return %given : memref<?xi8>
}

func.func @stowage_arena_release(%memory: memref<?xi8>) {
  memref.dealloc %memory : memref<?xi8>
  return
}

// CHECK-LABEL: func @f(
// CHECK:         call @stowage_arena(
// CHECK:         call @stowage_arena_release(
// CHECK-NEXT:    return
func.func @f(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// Functions that tell sizes have the letters of memory spaces in their names.
// TWO: error: merge-alloc: it has arenas in two memory spaces whose letters and digits are the same, which gives both one name; one is "a_b"
// ADDED func.func @two(%x: memref<64xf32>) {
// ADDED   %a = memref.alloc() : memref<64xf32, "a b">
// ADDED   linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32, "a b">)
// ADDED   linalg.exp ins(%a : memref<64xf32, "a b">) outs(%x : memref<64xf32>)
// ADDED   %b = memref.alloc() : memref<64xf32, "a_b">
// ADDED   linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32, "a_b">)
// ADDED   linalg.exp ins(%b : memref<64xf32, "a_b">) outs(%x : memref<64xf32>)
// ADDED   return
// ADDED }
