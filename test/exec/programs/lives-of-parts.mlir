// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer of 64 bytes, of which the halves live at different times, in a loop, and others that
// take what is free of it. Without markers all of it is needed all the time.

// RUN: stowage-opt %s --verify-lifetimes --convert-lifetime-to-llvm=prepare -o %t.before.mlir
// RUN: stowage-opt %s --merge-alloc="poison alignment-in-bytes=8" --check-arena-plan -o %t.merged.mlir
// RUN: stowage-opt %s --buffer-reuse="poison alignment-in-bytes=8" --check-arena-plan -o %t.reused.mlir
// RUN: FileCheck %s < %t.merged.mlir
// RUN: %python %root/exec/harness.py compare %t.before.mlir %t.merged.mlir %t.reused.mlir

// CHECK: memref.alloc() {{.*}} : memref<64xi8>
// CHECK-NOT: memref.alloc(

func.func private @printI64(i64)
func.func private @printNewline()

func.func private @put(%to: memref<?xi64, strided<[1], offset: ?>>, %v: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %to, %c0 : memref<?xi64, strided<[1], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i64
    %s = arith.addi %x, %v : i64
    memref.store %s, %to[%i] : memref<?xi64, strided<[1], offset: ?>>
  }
  return
}

func.func private @show(%from: memref<?xi64, strided<[1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %from, %c0 : memref<?xi64, strided<[1], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %from[%i] : memref<?xi64, strided<[1], offset: ?>>
    func.call @printI64(%x) : (i64) -> ()
  }
  func.call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant 100 : i64
  %a = memref.alloc() : memref<8xi64>
  %b = memref.alloc() : memref<4xi64>
  %d = memref.alloc() : memref<4xi64>
  %low = memref.subview %a[0] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1]>>
  %high = memref.subview %a[4] [4] [1] : memref<8xi64> to memref<4xi64, strided<[1], offset: 4>>
  %l = memref.cast %low : memref<4xi64, strided<[1]>> to memref<?xi64, strided<[1], offset: ?>>
  %h = memref.cast %high : memref<4xi64, strided<[1], offset: 4>> to memref<?xi64, strided<[1], offset: ?>>
  %bs = memref.cast %b : memref<4xi64> to memref<?xi64, strided<[1], offset: ?>>
  %ds = memref.cast %d : memref<4xi64> to memref<?xi64, strided<[1], offset: ?>>
  scf.for %i = %c0 to %c3 step %c1 {
    %x = arith.index_cast %i : index to i64
    %y = arith.addi %x, %k : i64
    lifetime.start %low : memref<4xi64, strided<[1]>>
    func.call @put(%l, %x) : (memref<?xi64, strided<[1], offset: ?>>, i64) -> ()
    lifetime.start %d : memref<4xi64>
    func.call @put(%ds, %y) : (memref<?xi64, strided<[1], offset: ?>>, i64) -> ()
    func.call @show(%l) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    func.call @show(%ds) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    lifetime.end %d : memref<4xi64>
    lifetime.start %high : memref<4xi64, strided<[1], offset: 4>>
    memref.copy %low, %high : memref<4xi64, strided<[1]>> to memref<4xi64, strided<[1], offset: 4>>
    lifetime.end %low : memref<4xi64, strided<[1]>>
    lifetime.start %b : memref<4xi64>
    func.call @put(%bs, %y) : (memref<?xi64, strided<[1], offset: ?>>, i64) -> ()
    func.call @show(%h) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    func.call @show(%bs) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    lifetime.end %b : memref<4xi64>
    lifetime.start %low : memref<4xi64, strided<[1]>>
    func.call @put(%l, %y) : (memref<?xi64, strided<[1], offset: ?>>, i64) -> ()
    func.call @show(%h) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    lifetime.end %high : memref<4xi64, strided<[1], offset: 4>>
    func.call @show(%l) : (memref<?xi64, strided<[1], offset: ?>>) -> ()
    lifetime.end %low : memref<4xi64, strided<[1]>>
  }
  memref.dealloc %a : memref<8xi64>
  memref.dealloc %b : memref<4xi64>
  memref.dealloc %d : memref<4xi64>
  return
}
