// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed before and after, on a heap that poisons what it gives out.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{in-place=false},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{elide-copies stream-rows})' | FileCheck %s

// CHECK: equal

func.func @frame(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %c = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  %d = memref.alloc() : memref<4x4xf32>
  linalg.add ins(%c, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.copy %d, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  return %b : memref<6x6xf32>
}

func.func @frame_over_frame(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The fill is of a buffer that served before.
  %b = memref.alloc() : memref<6x6xf32>
  %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  memref.copy %x, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %c = memref.alloc() : memref<6x6xf32>
  linalg.add ins(%b, %b : memref<6x6xf32>, memref<6x6xf32>) outs(%c : memref<6x6xf32>)
  %d = memref.alloc() : memref<4x4xf32>
  %middle = memref.subview %c[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.abs ins(%middle : memref<4x4xf32, strided<[6, 1], offset: 7>>) outs(%d : memref<4x4xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<6x6xf32>)
  memref.copy %d, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.add ins(%b, %c : memref<6x6xf32>, memref<6x6xf32>) outs(%b : memref<6x6xf32>)
  return %b : memref<6x6xf32>
}

func.func @fill_needed_between(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The border is read between the source's first write and the fill: the fill must not pass it.
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %row = memref.subview %b[0, 0] [1, 4] [1, 1] : memref<6x6xf32> to memref<4xf32, strided<[1]>>
  %c = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%c : memref<4x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%row : memref<4xf32, strided<[1]>>) outs(%c : memref<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  linalg.fill ins(%zero : f32) outs(%b : memref<6x6xf32>)
  memref.copy %c, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  return %b : memref<6x6xf32>
}

func.func @side_by_side(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.add ins(%x, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %ab = memref.alloc() : memref<4x8xf32>
  %left = memref.subview %ab[0, 0] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1]>>
  %right = memref.subview %ab[0, 4] [4, 4] [1, 1] : memref<4x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  memref.copy %a, %left : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  memref.copy %b, %right : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1], offset: 4>>
  %c = memref.alloc() : memref<6x10xf32>
  linalg.fill ins(%half : f32) outs(%c : memref<6x10xf32>)
  %most = memref.subview %c[1, 2] [4, 8] [1, 1] : memref<6x10xf32> to memref<4x8xf32, strided<[10, 1], offset: 12>>
  memref.copy %ab, %most : memref<4x8xf32> to memref<4x8xf32, strided<[10, 1], offset: 12>>
  %d = memref.alloc() : memref<6x6xf32>
  %end = memref.subview %c[0, 3] [6, 6] [1, 1] : memref<6x10xf32> to memref<6x6xf32, strided<[10, 1], offset: 3>>
  linalg.exp ins(%end : memref<6x6xf32, strided<[10, 1], offset: 3>>) outs(%d : memref<6x6xf32>)
  return %d : memref<6x6xf32>
}

func.func @overlap(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // Parts that overlap: what is copied last stays.
  %a = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.add ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %c = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%c : memref<6x6xf32>)
  %one = memref.subview %c[0, 0] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1]>>
  %two = memref.subview %c[2, 2] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 14>>
  memref.copy %b, %two : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 14>>
  memref.copy %a, %one : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1]>>
  return %c : memref<6x6xf32>
}

func.func @rows(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
    %a = memref.alloc() : memref<1x4xf32>
    linalg.abs ins(%row : memref<1x4xf32, strided<[4, 1], offset: ?>>) outs(%a : memref<1x4xf32>)
    %part = memref.subview %b[%i, 1] [1, 4] [1, 1] : memref<6x6xf32> to memref<1x4xf32, strided<[6, 1], offset: ?>>
    memref.copy %a, %part : memref<1x4xf32> to memref<1x4xf32, strided<[6, 1], offset: ?>>
  }
  return %b : memref<6x6xf32>
}

func.func @rows_that_read_rows(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // Each iteration reads the row before its own, which is the part of the iteration before.
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    %next = arith.addi %i, %c1 : index
    %before = memref.subview %b[%i, 0] [1, 6] [1, 1] : memref<6x6xf32> to memref<1x6xf32, strided<[6, 1], offset: ?>>
    %a = memref.alloc() : memref<1x6xf32>
    linalg.add ins(%before, %before : memref<1x6xf32, strided<[6, 1], offset: ?>>, memref<1x6xf32, strided<[6, 1], offset: ?>>) outs(%a : memref<1x6xf32>)
    %part = memref.subview %b[%next, 0] [1, 6] [1, 1] : memref<6x6xf32> to memref<1x6xf32, strided<[6, 1], offset: ?>>
    memref.copy %a, %part : memref<1x6xf32> to memref<1x6xf32, strided<[6, 1], offset: ?>>
  }
  return %b : memref<6x6xf32>
}

func.func @branch(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The source is written in both arms, the target allocated after them.
  %a = memref.alloc() : memref<4x4xf32>
  %bit = arith.cmpi ult, %c1, %c4 : index
  scf.if %bit {
    linalg.abs ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  } else {
    linalg.fill ins(%half : f32) outs(%a : memref<4x4xf32>)
  }
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %part = memref.subview %b[2, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 13>>
  memref.copy %a, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 13>>
  return %b : memref<6x6xf32>
}

func.func @read_afterwards(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The source is read after the copy, and the target changes elsewhere only.
  %a = memref.alloc() : memref<4x4xf32>
  linalg.abs ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %part = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %row = memref.subview %b[0, 0] [1, 6] [1, 1] : memref<6x6xf32> to memref<6xf32, strided<[1]>>
  memref.copy %a, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.fill ins(%zero : f32) outs(%row : memref<6xf32, strided<[1]>>)
  %c = memref.alloc() : memref<6x6xf32>
  linalg.add ins(%b, %b : memref<6x6xf32>, memref<6x6xf32>) outs(%c : memref<6x6xf32>)
  %low = memref.subview %c[2, 2] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 14>>
  linalg.add ins(%a, %low : memref<4x4xf32>, memref<4x4xf32, strided<[6, 1], offset: 14>>) outs(%low : memref<4x4xf32, strided<[6, 1], offset: 14>>)
  return %c : memref<6x6xf32>
}

func.func @in_place_twice(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // Of two operands that die, one is written over; what is read through another map is not.
  %a = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<6x6xf32>)
  %part = memref.subview %a[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.copy %x, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %b = memref.alloc() : memref<6x6xf32>
  linalg.exp ins(%a : memref<6x6xf32>) outs(%b : memref<6x6xf32>)
  %c = memref.alloc() : memref<6x6xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : memref<6x6xf32>, memref<6x6xf32>) outs(%c : memref<6x6xf32>) {
  ^bb0(%one: f32, %other: f32, %out: f32):
    %difference = arith.subf %one, %other : f32
    linalg.yield %difference : f32
  }
  return %c : memref<6x6xf32>
}

func.func @body_reads_operand(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The op reads its operand in its body, at another place than it writes.
  %a = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%a : memref<6x6xf32>)
  %part = memref.subview %a[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.copy %x, %part : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  %c = memref.alloc() : memref<6x6xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<6x6xf32>) outs(%c : memref<6x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %other = memref.load %a[%j, %i] : memref<6x6xf32>
    %sum = arith.subf %in, %other : f32
    linalg.yield %sum : f32
  }
  return %c : memref<6x6xf32>
}

func.func @transposed(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // Through a transpose into a matrix product, into a view with a dimension more, and through a slice.
  %t = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  %m = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%half : f32) outs(%m : memref<4x4xf32>)
  linalg.matmul ins(%x, %t : memref<4x4xf32>, memref<4x4xf32>) outs(%m : memref<4x4xf32>)
  %apart = memref.expand_shape %t [[0], [1, 2]] output_shape [4, 2, 2] : memref<4x4xf32> into memref<4x2x2xf32>
  %s = memref.alloc() : memref<4x2x2xf32>
  linalg.exp ins(%apart : memref<4x2x2xf32>) outs(%s : memref<4x2x2xf32>)
  %slice = memref.subview %t[1, 2] [2, 2] [2, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[8, 1], offset: 6>>
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %p = memref.subview %b[0, 0] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1]>>
  memref.copy %m, %p : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1]>>
  %u = memref.subview %s[0, 0, 1] [4, 2, 1] [1, 1, 1] : memref<4x2x2xf32> to memref<4x2xf32, strided<[4, 2], offset: 1>>
  %q = memref.subview %b[0, 4] [4, 2] [1, 1] : memref<6x6xf32> to memref<4x2xf32, strided<[6, 1], offset: 4>>
  memref.copy %u, %q : memref<4x2xf32, strided<[4, 2], offset: 1>> to memref<4x2xf32, strided<[6, 1], offset: 4>>
  %r = memref.subview %b[4, 2] [2, 2] [1, 1] : memref<6x6xf32> to memref<2x2xf32, strided<[6, 1], offset: 26>>
  linalg.exp ins(%slice : memref<2x2xf32, strided<[8, 1], offset: 6>>) outs(%r : memref<2x2xf32, strided<[6, 1], offset: 26>>)
  return %b : memref<6x6xf32>
}

func.func @one_buffer_many_moves(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // A buffer that is overwritten by one move after the other; a move of a move; a value read as a fill.
  %t = memref.alloc() : memref<4x4xf32>
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %p = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.fill ins(%half : f32) outs(%t : memref<4x4xf32>)
  linalg.add ins(%t, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  %u = memref.alloc() : memref<4x4xf32>
  memref.copy %t, %u : memref<4x4xf32> to memref<4x4xf32>
  linalg.matmul ins(%u, %t : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  memref.copy %p, %t : memref<4x4xf32, strided<[6, 1], offset: 7>> to memref<4x4xf32>
  linalg.matmul ins(%t, %u : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  return %b : memref<6x6xf32>
}

func.func @broadcast(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %row = memref.subview %x[2, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 8>>
  %wide = memref.alloc() : memref<4x4xf32>
  linalg.broadcast ins(%row : memref<4xf32, strided<[1], offset: 8>>) outs(%wide : memref<4x4xf32>) dimensions = [0]
  %high = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%wide : memref<4x4xf32>) outs(%high : memref<4x4xf32>) permutation = [1, 0]
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %p = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.sub ins(%wide, %high : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  return %b : memref<6x6xf32>
}

func.func @overwriter_reads(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // What overwrites the moved buffer still reads it, in its body and by a view.
  %t = memref.alloc() : memref<4x4xf32>
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %p = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
  %last = memref.subview %t[3, 3] [1, 1] [1, 1] : memref<4x4xf32> to memref<1x1xf32, strided<[4, 1], offset: 15>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (0, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%last : memref<1x1xf32, strided<[4, 1], offset: 15>>) outs(%t : memref<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.add ins(%t, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  return %b : memref<6x6xf32>
}

func.func @changed_in_loop(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  // The source changes from iteration to iteration, after the reader.
  %s = memref.alloc() : memref<4x4xf32>
  memref.copy %x, %s : memref<4x4xf32> to memref<4x4xf32>
  %b = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%b : memref<6x6xf32>)
  %p = memref.subview %b[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  scf.for %i = %c0 to %c4 step %c1 {
    %t = memref.alloc() : memref<4x4xf32>
    linalg.transpose ins(%s : memref<4x4xf32>) outs(%t : memref<4x4xf32>) permutation = [1, 0]
    linalg.sub ins(%t, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[6, 1], offset: 7>>)
    linalg.add ins(%t, %p : memref<4x4xf32>, memref<4x4xf32, strided<[6, 1], offset: 7>>) outs(%s : memref<4x4xf32>)
  }
  return %b : memref<6x6xf32>
}

func.func @filled_for_all(%x: memref<4x4xf32>) -> memref<6x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %half = arith.constant 0.5 : f32
  // One fill is what several sums begin with; the last one is made in place, in a loop.
  %start = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%half : f32) outs(%start : memref<4x4xf32>)
  %a = memref.alloc() : memref<4x4xf32>
  memref.copy %start, %a : memref<4x4xf32> to memref<4x4xf32>
  linalg.matmul ins(%x, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  memref.copy %start, %b : memref<4x4xf32> to memref<4x4xf32>
  linalg.matmul ins(%a, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    linalg.add ins(%start, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%start : memref<4x4xf32>)
  }
  %y = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%half : f32) outs(%y : memref<6x6xf32>)
  %part = memref.subview %y[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  linalg.sub ins(%start, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%part : memref<4x4xf32, strided<[6, 1], offset: 7>>)
  return %y : memref<6x6xf32>
}

func.func @print(%y: memref<6x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %v = memref.load %y[%i, %j] : memref<6x6xf32>
      vector.print %v : f32
    }
  }
  return
}

func.func @main() {
  %x = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<4x4xf32>) {
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
  %frame = call @frame(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%frame) : (memref<6x6xf32>) -> ()
  %frame_over_frame = call @frame_over_frame(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%frame_over_frame) : (memref<6x6xf32>) -> ()
  %fill_needed_between = call @fill_needed_between(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%fill_needed_between) : (memref<6x6xf32>) -> ()
  %side_by_side = call @side_by_side(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%side_by_side) : (memref<6x6xf32>) -> ()
  %overlap = call @overlap(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%overlap) : (memref<6x6xf32>) -> ()
  %rows = call @rows(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%rows) : (memref<6x6xf32>) -> ()
  %rows_that_read_rows = call @rows_that_read_rows(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%rows_that_read_rows) : (memref<6x6xf32>) -> ()
  %branch = call @branch(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%branch) : (memref<6x6xf32>) -> ()
  %read_afterwards = call @read_afterwards(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%read_afterwards) : (memref<6x6xf32>) -> ()
  %in_place_twice = call @in_place_twice(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%in_place_twice) : (memref<6x6xf32>) -> ()
  %body_reads_operand = call @body_reads_operand(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%body_reads_operand) : (memref<6x6xf32>) -> ()
  %transposed = call @transposed(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%transposed) : (memref<6x6xf32>) -> ()
  %one_buffer_many_moves = call @one_buffer_many_moves(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%one_buffer_many_moves) : (memref<6x6xf32>) -> ()
  %broadcast = call @broadcast(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%broadcast) : (memref<6x6xf32>) -> ()
  %overwriter_reads = call @overwriter_reads(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%overwriter_reads) : (memref<6x6xf32>) -> ()
  %changed_in_loop = call @changed_in_loop(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%changed_in_loop) : (memref<6x6xf32>) -> ()
  %filled_for_all = call @filled_for_all(%x) : (memref<4x4xf32>) -> memref<6x6xf32>
  call @print(%filled_for_all) : (memref<6x6xf32>) -> ()
  return
}
