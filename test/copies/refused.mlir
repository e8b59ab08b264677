// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stays two buffers, and what is said of it.

// RUN: stowage-opt %s --split-input-file --elide-copies --remarks-filter=elide-copies 2>&1 >/dev/null | FileCheck %s --implicit-check-not=placed --implicit-check-not=in-place
// RUN: stowage-opt %s --split-input-file > %t.before
// RUN: stowage-opt %s --split-input-file --elide-copies > %t.after
// RUN: cmp %t.before %t.after

// The part is read while the source is in use.

// CHECK: Function=read_between | Reason=target-used-before{{.*}}'linalg.matmul' may use that part
func.func @read_between(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %a = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%b, %x : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  %c0 = arith.constant 0 : index
  %v = memref.load %b[%c0, %c0] : memref<4x4xf32>
  memref.store %v, %y[%c0, %c0] : memref<4x4xf32>
  return
}

// -----

// The source is written after the copy.

// CHECK: Function=written_after | Reason=source-used-later{{.*}}'linalg.exp' uses the source later
func.func @written_after(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.add ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// The target is written after the copy, in part, and the source still read.

// CHECK: Function=both_read | Reason=source-used-later{{.*}}'memref.store' uses the source later
func.func @both_read(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %c0 = arith.constant 0 : index
  memref.store %one, %b[%c0] : memref<4xf32>
  linalg.add ins(%a, %b : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// Two copies into parts that overlap: the second source is written before the first copy.

// CHECK: Function=overlap | Reason=target-used-before{{.*}}'memref.copy' may use that part
func.func @overlap(%x: memref<4xf32>, %y: memref<6xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %c = memref.alloc() : memref<4xf32>
  linalg.abs ins(%a : memref<4xf32>) outs(%c : memref<4xf32>)
  %b = memref.alloc() : memref<6xf32>
  %low = memref.subview %b[0] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %b[2] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %x, %low : memref<4xf32> to memref<4xf32, strided<[1]>>
  memref.copy %c, %high : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%x : memref<4xf32>)
  linalg.exp ins(%b : memref<6xf32>) outs(%y : memref<6xf32>)
  return
}

// -----

// What the target is filled with is known only when the source is in use.

// CHECK: Function=late_fill | Reason=known-late{{.*}}is known only when
func.func @late_fill(%x: memref<4xf32>, %y: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %first = memref.load %a[%c0] : memref<4xf32>
  %b = memref.alloc() : memref<6xf32>
  linalg.fill ins(%first : f32) outs(%b : memref<6xf32>)
  %low = memref.subview %b[0] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %low : memref<4xf32> to memref<4xf32, strided<[1]>>
  linalg.exp ins(%b : memref<6xf32>) outs(%y : memref<6xf32>)
  return
}

// -----

// The target's size is computed from the source's contents.

// CHECK: Function=late_size | Reason=known-late{{.*}}is known only when
func.func @late_size(%x: memref<4xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xindex>
  %one = arith.constant 1 : index
  linalg.fill ins(%one : index) outs(%a : memref<4xindex>)
  memref.store %one, %a[%c0] : memref<4xindex>
  %n = memref.load %a[%c0] : memref<4xindex>
  %b = memref.alloc(%n) : memref<?xindex>
  %low = memref.subview %b[0] [4] [1] : memref<?xindex> to memref<4xindex, strided<[1]>>
  memref.copy %a, %low : memref<4xindex> to memref<4xindex, strided<[1]>>
  memref.copy %b, %y : memref<?xindex> to memref<?xindex>
  return
}

// -----

// Somebody relies on an alignment that the part does not have.

// CHECK: Function=aligned | Reason=alignment{{.*}}'memref.assume_alignment' relies
func.func @aligned(%x: memref<4xf32>, %y: memref<6xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %sure = memref.assume_alignment %a, 16 : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%sure : memref<4xf32>)
  %b = memref.alloc() : memref<6xf32>
  %high = memref.subview %b[2] [4] [1] : memref<6xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %a, %high : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  linalg.exp ins(%b : memref<6xf32>) outs(%y : memref<6xf32>)
  return
}

// -----

// Dimensions that are not contiguous any more cannot be joined.

// CHECK: Function=joined | Reason=layout{{.*}}'memref.collapse_shape' does not take
func.func @joined(%x: memref<4x4xf32>, %y: memref<4x6xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %flat = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  linalg.fill ins(%one : f32) outs(%flat : memref<16xf32>)
  %b = memref.alloc() : memref<4x6xf32>
  %left = memref.subview %b[0, 0] [4, 4] [1, 1] : memref<4x6xf32> to memref<4x4xf32, strided<[6, 1]>>
  memref.copy %a, %left : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1]>>
  linalg.exp ins(%b : memref<4x6xf32>) outs(%y : memref<4x6xf32>)
  return
}

// -----

// A function is given the source.

// CHECK: Function=called | Reason=not-local{{.*}}'func.call' may do more
func.func @called(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  func.call @f(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
func.func private @f(memref<4xf32>)

// -----

// Iterations that run at once would use the target's one row for what is only theirs.

// CHECK: Function=at_once | Reason=at-once{{.*}}iterations that may run at once
func.func @at_once(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = memref.alloc() : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  }
  linalg.exp ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// One of two buffers is chosen.

// CHECK: Function=chosen | Reason=not-local{{.*}}'arith.select' may do more
func.func @chosen(%x: memref<4xf32>, %y: memref<4xf32>, %bit: i1) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %one = arith.select %bit, %a, %x : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%one : memref<4xf32>)
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// Work that goes on uses the source.

// CHECK: Function=later | Reason=not-local{{.*}}'linalg.exp' may do more
func.func @later(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %token = async.execute {
    linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    async.yield
  }
  async.await %token : !async.token
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// All rows of the part are one row.

// CHECK: Function=one_row | Reason=shared-cells{{.*}}several indices of the target's part
func.func @one_row(%x: memref<4x4xf32>) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %p = memref.reinterpret_cast %b to offset: [0], sizes: [4, 4], strides: [0, 1] : memref<4xf32> to memref<4x4xf32, strided<[0, 1]>>
  memref.copy %a, %p : memref<4x4xf32> to memref<4x4xf32, strided<[0, 1]>>
  return %b : memref<4xf32>
}

// -----

// Memory spaces differ.

// CHECK: Function=spaces | Reason=memory-space{{.*}}not of the same memory space
func.func @spaces(%x: memref<4xf32>, %y: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32, 1>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32, 1>
  memref.copy %b, %y : memref<4xf32, 1> to memref<4xf32>
  return
}

// -----

// The copy runs again, and the source is from outside of the loop.

// CHECK: Function=again | Reason=another-block{{.*}}is allocated in another block
func.func @again(%x: memref<4xf32>, %y: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    linalg.exp ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  }
  linalg.exp ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

// An operand is read in another order than cells are written.

func.func @another_order(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>) {
  ^bb0(%one: f32, %other: f32, %out: f32):
    %sum = arith.addf %one, %other : f32
    linalg.yield %sum : f32
  }
  linalg.exp ins(%b : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// What was transposed changes before it is read.

// CHECK: Function=moved_then_changed | Reason=source-changes{{.*}}'memref.store' may write
func.func @moved_then_changed(%y: memref<4x4xf32>) {
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%y : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
  %c0 = arith.constant 0 : index
  memref.store %one, %a[%c0, %c0] : memref<4x4xf32>
  linalg.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// An argument may be the memory of another one.

// CHECK: Function=moved_given | Reason=source-changes{{.*}}'linalg.fill' may write
func.func @moved_given(%x: memref<4x4xf32>, %y: memref<4x4xf32>) {
  %one = arith.constant 1.0 : f32
  %b = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
  linalg.fill ins(%one : f32) outs(%y : memref<4x4xf32>)
  linalg.matmul ins(%b, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// The reader writes what it would read.

// CHECK: Function=moved_back | Reason=source-changes{{.*}}'linalg.matmul' may write
func.func @moved_back(%x: memref<4x4xf32>) {
  %b = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
  linalg.matmul ins(%b, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  return
}

// -----

// A load has no indexing map.

// CHECK: Function=loaded | Reason=reader{{.*}}'memref.load' reads what was moved
func.func @loaded(%x: memref<4x4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %b = memref.alloc() : memref<4x4xf32>
  linalg.transpose ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
  %v = memref.load %b[%c0, %c0] : memref<4x4xf32>
  return %v : f32
}

// -----

// No index of the sum's operands would tell how often to add.

// CHECK: Function=repeated | Reason=reader{{.*}}'linalg.generic' reads what was moved
func.func @repeated(%x: memref<4xf32>, %y: memref<4xf32>) {
  %b = memref.alloc() : memref<4x8xf32>
  linalg.broadcast ins(%x : memref<4xf32>) outs(%b : memref<4x8xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%b : memref<4x8xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  return
}

// -----

// What a loop carries is the allocation that is written before the reader.

// CHECK: Function=carried | Reason=source-changes{{.*}}'linalg.transpose' may write
func.func @carried(%y: memref<4x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%y : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %d = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%one : f32) outs(%d : memref<4x4xf32>)
  %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a, %e = %a) -> (memref<4x4xf32>, memref<4x4xf32>) {
    %b = memref.alloc() : memref<4x4xf32>
    linalg.transpose ins(%c : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
    memref.store %one, %a[%c0, %c1] : memref<4x4xf32>
    linalg.matmul ins(%b, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
    scf.yield %e, %c : memref<4x4xf32>, memref<4x4xf32>
  }
  linalg.add ins(%last#0, %d : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  return
}

// -----

// An op that yields what was there moves nothing.

func.func @yields_its_own(%x: memref<4xf32>) {
  %b = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%b : memref<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %o : f32
  }
  return
}
