// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs in which one buffer for two would be wrong, or nearly.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s

// CHECK: equal

// No elements.
func.func @zero_size(%x: memref<0x4xf32>) -> memref<2x4xf32> {
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<0x4xf32>
  linalg.exp ins(%x : memref<0x4xf32>) outs(%a : memref<0x4xf32>)
  %b = memref.alloc() : memref<2x4xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<2x4xf32>)
  %p = memref.subview %b[0, 0] [0, 4] [1, 1] : memref<2x4xf32> to memref<0x4xf32, strided<[4, 1]>>
  memref.copy %a, %p : memref<0x4xf32> to memref<0x4xf32, strided<[4, 1]>>
  return %b : memref<2x4xf32>
}

// One element, in a view of no dimension.
func.func @rank0(%x: memref<f32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<f32>
  linalg.exp ins(%x : memref<f32>) outs(%a : memref<f32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.broadcast ins(%a : memref<f32>) outs(%b : memref<4xf32>) dimensions = [0]
  %p = memref.subview %b[1] [1] [1] : memref<4xf32> to memref<f32, strided<[], offset: 1>>
  memref.copy %a, %p : memref<f32> to memref<f32, strided<[], offset: 1>>
  return %b : memref<4xf32>
}

// The target is freed, and allocated anew in each iteration.
func.func @anew(%x: memref<4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    %b = memref.alloc() : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.dealloc %a : memref<4xf32>
    %v = memref.load %b[%c0] : memref<4xf32>
    memref.dealloc %b : memref<4xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %r : f32
}

// The target is freed before the source is read for the last time.
func.func @freed_first(%x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  %v = memref.load %b[%c0] : memref<4xf32>
  memref.store %v, %b[%c0] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%c : memref<4xf32>)
  memref.dealloc %a : memref<4xf32>
  return %c : memref<4xf32>
}

// The source is freed while the copy is still read.
func.func @source_freed(%x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  memref.dealloc %b : memref<4xf32>
  return %c : memref<4xf32>
}

// Branches between blocks, and a loop of blocks.
func.func @cfg(%x: memref<4xf32>, %bit: i1) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  cf.cond_br %bit, ^bb1, ^bb2
^bb1:
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  cf.br ^bb3
^bb2:
  linalg.abs ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  cf.br ^bb3
^bb3:
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return %b : memref<4xf32>
}

func.func @cfg_loop(%x: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = memref.alloc() : memref<4xf32>
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  cf.br ^bb1(%c0 : index)
^bb1(%i: index):
  %a = memref.alloc() : memref<4xf32>
  linalg.add ins(%b, %x : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %j = arith.addi %i, %c1 : index
  %m = arith.cmpi ult, %j, %n : index
  cf.cond_br %m, ^bb1(%j : index), ^bb2
^bb2:
  return %b : memref<4xf32>
}

// Vector ops on rows that are contiguous, and on rows that are not.
func.func @vectors(%x: memref<2x8xf32>) -> memref<4x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<2x8xf32>
  %v = vector.load %x[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
  vector.store %v, %a[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
  vector.store %v, %a[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
  %b = memref.alloc() : memref<4x10xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<4x10xf32>)
  %p = memref.subview %b[1, 1] [2, 8] [1, 1] : memref<4x10xf32> to memref<2x8xf32, strided<[10, 1], offset: 11>>
  memref.copy %a, %p : memref<2x8xf32> to memref<2x8xf32, strided<[10, 1], offset: 11>>
  return %b : memref<4x10xf32>
}

func.func @vectors_apart(%x: memref<2x4xf32>) -> memref<4x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<2x4xf32>
  %v = vector.load %x[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
  vector.store %v, %a[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
  vector.store %v, %a[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
  %b = memref.alloc() : memref<4x10xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<4x10xf32>)
  %p = memref.subview %b[1, 1] [2, 4] [1, 2] : memref<4x10xf32> to memref<2x4xf32, strided<[10, 2], offset: 11>>
  memref.copy %a, %p : memref<2x4xf32> to memref<2x4xf32, strided<[10, 2], offset: 11>>
  return %b : memref<4x10xf32>
}

// Sizes known at run time: from the source itself, and from elsewhere.
func.func @dynamic(%x: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>)
  %an = memref.dim %a, %c0 : memref<?x?xf32>
  %n2 = arith.addi %an, %c2 : index
  %m2 = arith.addi %m, %c2 : index
  %b = memref.alloc(%n2, %m2) : memref<?x?xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<?x?xf32>)
  %p = memref.subview %b[1, 1] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  memref.copy %a, %p : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  return %b : memref<?x?xf32>
}

func.func @dynamic_ok(%x: memref<?x?xf32>) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %a = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.exp ins(%x : memref<?x?xf32>) outs(%a : memref<?x?xf32>)
  %n2 = arith.addi %n, %c2 : index
  %m2 = arith.addi %m, %c2 : index
  %b = memref.alloc(%n2, %m2) : memref<?x?xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<?x?xf32>)
  %p = memref.subview %b[1, 1] [%n, %m] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  memref.copy %a, %p : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  return %b : memref<?x?xf32>
}

// A buffer is copied into itself, transposed.
func.func @itself(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %b = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %t = memref.transpose %b (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  %c = memref.alloc() : memref<4x4xf32>
  memref.copy %b, %b : memref<4x4xf32> to memref<4x4xf32>
  memref.copy %t, %c : memref<4x4xf32, strided<[1, 4]>> to memref<4x4xf32>
  memref.copy %c, %b : memref<4x4xf32> to memref<4x4xf32>
  return %b : memref<4x4xf32>
}

// Buffers of one iteration, where iterations may run at once.
func.func @parallel_own(%x: memref<4xf32>, %y: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    %b = memref.alloc() : memref<6xf32>
    %half = arith.constant 0.5 : f32
    linalg.fill ins(%half : f32) outs(%b : memref<6xf32>)
    %p = memref.subview %b[1] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 1>>
    memref.copy %a, %p : memref<4xf32> to memref<4xf32, strided<[1], offset: 1>>
    %q = memref.subview %b[0] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1]>>
    %r = memref.subview %y[%i, 0] [1, 4] [1, 1] : memref<8x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %q, %r : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1], offset: ?>>
    scf.reduce
  }
  return
}

// The reader of what was moved runs again when the source has changed.
func.func @loop_writes_source(%x: memref<4x4xf32>, %n: index) -> memref<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%s : memref<4x4xf32>)
  %t = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%s : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  scf.for %i = %c0 to %n step %c1 {
    %u = memref.alloc() : memref<4x4xf32>
    linalg.add ins(%t, %s : memref<4x4xf32>, memref<4x4xf32>) outs(%u : memref<4x4xf32>)
    memref.copy %u, %s : memref<4x4xf32> to memref<4x4xf32>
  }
  return %s : memref<4x4xf32>
}
// A view that is made anew begins at the buffer, not at the slice that it is made of: it is the part.
func.func @made_anew(%x: memref<4xf32>) -> memref<8xf32> {
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%one : f32) outs(%b : memref<8xf32>)
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %low = memref.subview %b[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  %upper = memref.reinterpret_cast %low to offset: [4], sizes: [4], strides: [1] : memref<4xf32, strided<[1]>> to memref<4xf32, strided<[1], offset: 4>>
  linalg.copy ins(%upper : memref<4xf32, strided<[1], offset: 4>>) outs(%low : memref<4xf32, strided<[1]>>)
  %high = memref.subview %b[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %high : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  return %b : memref<8xf32>
}

// Each operand alone may be one value: together, nothing would tell how often to add.
func.func @both_operands(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %half = arith.constant 0.5 : f32
  %t = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%half : f32) outs(%t : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  memref.copy %x, %b : memref<4x4xf32> to memref<4x4xf32>
  linalg.matmul ins(%t, %t : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  return %b : memref<4x4xf32>
}

// All rows of the part are one row: the source's are not.
func.func @one_row(%x: memref<4x4xf32>) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.add ins(%x, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %p = memref.reinterpret_cast %b to offset: [0], sizes: [4, 4], strides: [0, 1] : memref<4xf32> to memref<4x4xf32, strided<[0, 1]>>
  memref.copy %a, %p : memref<4x4xf32> to memref<4x4xf32, strided<[0, 1]>>
  return %b : memref<4xf32>
}

// A copy reads the first rows and columns of what was transposed: the source has more.
func.func @corner(%x: memref<4x4xf32>) -> memref<2x3xf32> {
  %t = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  %corner = memref.subview %t[0, 0] [2, 3] [1, 1] : memref<4x4xf32> to memref<2x3xf32, strided<[4, 1]>>
  %b = memref.alloc() : memref<2x3xf32>
  memref.copy %corner, %b : memref<2x3xf32, strided<[4, 1]>> to memref<2x3xf32>
  return %b : memref<2x3xf32>
}

// A cast tells that its source begins at offset 0, which the part does not.
func.func @cast(%x: memref<4x4xf32>) -> memref<6x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %half = arith.constant 0.5 : f32
  %b = memref.alloc() : memref<6x4xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x4xf32>)
  scf.for %i = %c0 to %c3 step %c1 {
    %first = arith.muli %i, %c2 : index
    %a = memref.alloc() : memref<2x4xf32>
    %any = memref.cast %a : memref<2x4xf32> to memref<?x?xf32>
    linalg.fill ins(%half : f32) outs(%any : memref<?x?xf32>)
    %pairs = memref.expand_shape %any [[0], [1, 2]] output_shape [%c2, %c2, 2] : memref<?x?xf32> into memref<?x?x2xf32>
    %v = memref.load %x[%c1, %i] : memref<4x4xf32>
    memref.store %v, %pairs[%c1, %c1, %c0] : memref<?x?x2xf32>
    %p = memref.subview %b[%first, 0] [2, 4] [1, 1] : memref<6x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
    memref.copy %a, %p : memref<2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
  }
  return %b : memref<6x4xf32>
}

func.func @print(%y: memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %m = memref.dim %y, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %v = memref.load %y[%i, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
      vector.print %v : f32
    }
  }
  return
}

func.func @number(%y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%out: f32):
    %eighth = arith.constant -0.125 : f32
    %seven = arith.constant 7 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %far = arith.muli %i, %seven : index
    %both = arith.addi %far, %j : index
    %number = arith.index_cast %both : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    linalg.yield %small : f32
  }
  return
}

func.func @main() {
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %half = arith.constant 0.5 : f32
  %in1 = memref.alloc() : memref<0x4xf32>
  %in1_any = memref.cast %in1 : memref<0x4xf32> to memref<?x?xf32>
  call @number(%in1_any) : (memref<?x?xf32>) -> ()
  %in2 = memref.alloc() : memref<4xf32>
  %in2_two = memref.expand_shape %in2 [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %in2_any = memref.cast %in2_two : memref<1x4xf32> to memref<?x?xf32>
  call @number(%in2_any) : (memref<?x?xf32>) -> ()
  %in3 = memref.alloc() : memref<f32>
  memref.store %half, %in3[] : memref<f32>
  %in4 = memref.alloc() : memref<4x4xf32>
  %in4_any = memref.cast %in4 : memref<4x4xf32> to memref<?x?xf32>
  call @number(%in4_any) : (memref<?x?xf32>) -> ()
  %in5 = memref.alloc() : memref<2x8xf32>
  %in5_any = memref.cast %in5 : memref<2x8xf32> to memref<?x?xf32>
  call @number(%in5_any) : (memref<?x?xf32>) -> ()
  %in6 = memref.alloc() : memref<2x4xf32>
  %in6_any = memref.cast %in6 : memref<2x4xf32> to memref<?x?xf32>
  call @number(%in6_any) : (memref<?x?xf32>) -> ()
  %in7 = memref.alloc() : memref<8x4xf32>
  %in7_any = memref.cast %in7 : memref<8x4xf32> to memref<?x?xf32>
  call @number(%in7_any) : (memref<?x?xf32>) -> ()
  %dyn = memref.cast %in6 : memref<2x4xf32> to memref<?x?xf32>
  %zero_size = call @zero_size(%in1) : (memref<0x4xf32>) -> memref<2x4xf32>
  %zero_size_shown = memref.cast %zero_size : memref<2x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%zero_size_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %rank0 = call @rank0(%in3) : (memref<f32>) -> memref<4xf32>
  %rank0_two = memref.expand_shape %rank0 [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %rank0_two_shown = memref.cast %rank0_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%rank0_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %anew = call @anew(%in2, %c3) : (memref<4xf32>, index) -> f32
  vector.print %anew : f32
  %freed_first = call @freed_first(%in2) : (memref<4xf32>) -> memref<4xf32>
  %freed_first_two = memref.expand_shape %freed_first [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %freed_first_two_shown = memref.cast %freed_first_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%freed_first_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %source_freed = call @source_freed(%in2) : (memref<4xf32>) -> memref<4xf32>
  %source_freed_two = memref.expand_shape %source_freed [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %source_freed_two_shown = memref.cast %source_freed_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%source_freed_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %cfg = call @cfg(%in2, %true) : (memref<4xf32>, i1) -> memref<4xf32>
  %cfg_two = memref.expand_shape %cfg [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %cfg_two_shown = memref.cast %cfg_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%cfg_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %cfg_loop = call @cfg_loop(%in2, %c3) : (memref<4xf32>, index) -> memref<4xf32>
  %cfg_loop_two = memref.expand_shape %cfg_loop [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %cfg_loop_two_shown = memref.cast %cfg_loop_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%cfg_loop_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %vectors = call @vectors(%in5) : (memref<2x8xf32>) -> memref<4x10xf32>
  %vectors_shown = memref.cast %vectors : memref<4x10xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%vectors_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %vectors_apart = call @vectors_apart(%in6) : (memref<2x4xf32>) -> memref<4x10xf32>
  %vectors_apart_shown = memref.cast %vectors_apart : memref<4x10xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%vectors_apart_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %dynamic = call @dynamic(%dyn) : (memref<?x?xf32>) -> memref<?x?xf32>
  %dynamic_shown = memref.cast %dynamic : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%dynamic_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %dynamic_ok = call @dynamic_ok(%dyn) : (memref<?x?xf32>) -> memref<?x?xf32>
  %dynamic_ok_shown = memref.cast %dynamic_ok : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%dynamic_ok_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %itself = call @itself(%in4) : (memref<4x4xf32>) -> memref<4x4xf32>
  %itself_shown = memref.cast %itself : memref<4x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%itself_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  call @parallel_own(%in2, %in7) : (memref<4xf32>, memref<8x4xf32>) -> ()
  %in7_shown = memref.cast %in7 : memref<8x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%in7_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %loop_writes_source = call @loop_writes_source(%in4, %c3) : (memref<4x4xf32>, index) -> memref<4x4xf32>
  %loop_writes_source_shown = memref.cast %loop_writes_source : memref<4x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%loop_writes_source_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %made_anew = call @made_anew(%in2) : (memref<4xf32>) -> memref<8xf32>
  %made_anew_two = memref.expand_shape %made_anew [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  %made_anew_two_shown = memref.cast %made_anew_two : memref<1x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%made_anew_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %one_row = call @one_row(%in4) : (memref<4x4xf32>) -> memref<4xf32>
  %one_row_two = memref.expand_shape %one_row [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  %one_row_two_shown = memref.cast %one_row_two : memref<1x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%one_row_two_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %corner = call @corner(%in4) : (memref<4x4xf32>) -> memref<2x3xf32>
  %corner_shown = memref.cast %corner : memref<2x3xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%corner_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %cast = call @cast(%in4) : (memref<4x4xf32>) -> memref<6x4xf32>
  %cast_shown = memref.cast %cast : memref<6x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%cast_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  %both_operands = call @both_operands(%in4) : (memref<4x4xf32>) -> memref<4x4xf32>
  %both_operands_shown = memref.cast %both_operands : memref<4x4xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  call @print(%both_operands_shown) : (memref<?x?xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}
