// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python "%root/exec/harness.py" check %s --pipeline "builtin.module(elide-copies)" | FileCheck %s
// RUN: stowage-opt %s --elide-copies | FileCheck %s --check-prefix=SHAPE

// The program ends in front of a division that would trap, of a view that would not be in the buffer, or of an allocation that would
// be too small: none is moved in front of the end.

// CHECK: equal

// SHAPE-LABEL: func @run(
// SHAPE: call @stop_if_zero
// SHAPE: arith.remsi
// SHAPE: memref.copy
// SHAPE-LABEL: func @multiplied(
// SHAPE: call @stop_if_zero
// SHAPE: memref.subview
// SHAPE: memref.copy
// SHAPE-LABEL: func @asserted(
// SHAPE: cf.assert
// SHAPE: memref.subview
// SHAPE: memref.copy
// SHAPE-LABEL: func @printed(
// SHAPE: memref.subview
// SHAPE: vector.print
// SHAPE-NOT: memref.copy
// SHAPE-LABEL: func @sized(
// SHAPE: call @stop_if_zero
// SHAPE: memref.alloc(
// SHAPE: memref.copy

func.func private @exit(i32)
func.func @stop_if_zero(%m: index) {
  %c0 = arith.constant 0 : index
  %ok = arith.constant 0 : i32
  %zero = arith.cmpi eq, %m, %c0 : index
  scf.if %zero {
    func.call @exit(%ok) : (i32) -> ()
  }
  return
}
func.func @run(%n: index, %m: index) -> f32 {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  call @stop_if_zero(%m) : (index) -> ()
  %at = arith.remsi %n, %m : index
  %b = memref.alloc() : memref<12xf32>
  %part = memref.subview %b[%at] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %r = memref.load %b[%at] : memref<12xf32>
  return %r : f32
}
func.func @multiplied(%n: index, %m: index) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  call @stop_if_zero(%m) : (index) -> ()
  %at = arith.muli %n, %m : index
  %b = memref.alloc() : memref<12xf32>
  %part = memref.subview %b[%at] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %r = memref.load %b[%at] : memref<12xf32>
  return %r : f32
}
func.func @asserted(%at: index, %ok: i1) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  cf.assert %ok, "no such part"
  %b = memref.alloc() : memref<12xf32>
  %part = memref.subview %b[%at] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %r = memref.load %b[%at] : memref<12xf32>
  return %r : f32
}
func.func @printed(%at: index) -> f32 {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  vector.print %one : f32
  %b = memref.alloc() : memref<12xf32>
  %part = memref.subview %b[%at] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1], offset: ?>>
  memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %r = memref.load %b[%at] : memref<12xf32>
  return %r : f32
}
func.func @sized(%n: index) -> f32 {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4xf32>)
  linalg.exp ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
  %small = arith.cmpi slt, %n, %c4 : index
  scf.if %small {
    func.call @stop_if_zero(%c0) : (index) -> ()
  }
  %b = memref.alloc(%n) : memref<?xf32>
  %part = memref.subview %b[0] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %part : memref<4xf32> to memref<4xf32, strided<[1]>>
  %r = memref.load %b[%c0] : memref<?xf32>
  return %r : f32
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %x = call @run(%c5, %c3) : (index, index) -> f32
  vector.print %x : f32
  %c2 = arith.constant 2 : index
  %z = call @multiplied(%c3, %c2) : (index, index) -> f32
  vector.print %z : f32
  %yes = arith.constant true
  %u = call @asserted(%c3, %yes) : (index, i1) -> f32
  vector.print %u : f32
  %v = call @printed(%c2) : (index) -> f32
  vector.print %v : f32
  %w = call @sized(%c5) : (index) -> f32
  vector.print %w : f32
  %y = call @run(%c5, %c0) : (index, index) -> f32
  vector.print %y : f32
  return
}
