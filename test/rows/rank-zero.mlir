// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views without a dimension, of parts and of whole buffers, and what is made of them again: a view of
// rank 0 has no rows.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,order-for-memory,stream-rows{max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{reduce-peak})' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-affine-to-taskflow{copies},memory-access-streaming-fusion,convert-taskflow-to-affine,buffer-deallocation)' | FileCheck %s

// CHECK: equal

#none = affine_map<(d0) -> ()>
#all = affine_map<(d0) -> (d0)>
#none2 = affine_map<(d0, d1) -> ()>
#all2 = affine_map<(d0, d1) -> (d0, d1)>

func.func @collapsed(%in: memref<2xi32>, %out: memref<2xi32>) {
  %a = memref.alloc() : memref<2xi32>
  linalg.copy ins(%in : memref<2xi32>) outs(%a : memref<2xi32>)
  %v = memref.subview %a[1] [1] [1] : memref<2xi32> to memref<1xi32, strided<[1], offset: 1>>
  %c = memref.collapse_shape %v [] : memref<1xi32, strided<[1], offset: 1>> into memref<i32, strided<[], offset: 1>>
  linalg.generic {indexing_maps = [#none, #all], iterator_types = ["parallel"]}
      ins(%c : memref<i32, strided<[], offset: 1>>) outs(%out : memref<2xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  return
}

func.func @dropped(%in: memref<4x4xi32>, %out: memref<4x4xi32>) {
  %a = memref.alloc() : memref<4x4xi32>
  linalg.add ins(%in, %in : memref<4x4xi32>, memref<4x4xi32>) outs(%a : memref<4x4xi32>)
  %b = memref.alloc() : memref<4x4xi32>
  linalg.add ins(%a, %in : memref<4x4xi32>, memref<4x4xi32>) outs(%b : memref<4x4xi32>)
  %v = memref.subview %b[1, 2] [1, 1] [1, 1] : memref<4x4xi32> to memref<i32, strided<[], offset: 6>>
  linalg.generic {indexing_maps = [#none2, #all2, #all2], iterator_types = ["parallel", "parallel"]}
      ins(%v, %a : memref<i32, strided<[], offset: 6>>, memref<4x4xi32>) outs(%out : memref<4x4xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %s = arith.addi %x, %y : i32
    linalg.yield %s : i32
  }
  return
}

// A buffer of one element, expanded and collapsed again, filled and copied.
func.func @scalar(%in: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<i32>
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%a : memref<i32>)
  linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction"]}
      ins(%in : memref<4xi32>) outs(%a : memref<i32>) {
  ^bb0(%x: i32, %o: i32):
    %s = arith.addi %x, %o : i32
    linalg.yield %s : i32
  }
  %b = memref.alloc() : memref<i32>
  memref.copy %a, %b : memref<i32> to memref<i32>
  %e = memref.expand_shape %b [] output_shape [1, 1] : memref<i32> into memref<1x1xi32>
  %f = memref.alloc() : memref<1x1xi32>
  linalg.add ins(%e, %e : memref<1x1xi32>, memref<1x1xi32>) outs(%f : memref<1x1xi32>)
  %g = memref.collapse_shape %f [] : memref<1x1xi32> into memref<i32>
  linalg.generic {indexing_maps = [#none, #all], iterator_types = ["parallel"]}
      ins(%g : memref<i32>) outs(%out : memref<4xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  return
}

// One element of each row, summed up into a part without dimensions.
func.func @into(%in: memref<8x4xi32>, %out: memref<3xi32>) {
  %zero = arith.constant 0 : i32
  %a = memref.alloc() : memref<8x4xi32>
  linalg.add ins(%in, %in : memref<8x4xi32>, memref<8x4xi32>) outs(%a : memref<8x4xi32>)
  %b = memref.alloc() : memref<8x4xi32>
  linalg.mul ins(%a, %in : memref<8x4xi32>, memref<8x4xi32>) outs(%b : memref<8x4xi32>)
  linalg.fill ins(%zero : i32) outs(%out : memref<3xi32>)
  %v = memref.subview %out[1] [1] [1] : memref<3xi32> to memref<i32, strided<[], offset: 1>>
  linalg.generic {indexing_maps = [#all2, #none2], iterator_types = ["reduction", "reduction"]}
      ins(%b : memref<8x4xi32>) outs(%v : memref<i32, strided<[], offset: 1>>) {
  ^bb0(%x: i32, %o: i32):
    %s = arith.addi %x, %o : i32
    linalg.yield %s : i32
  }
  return
}

func.func @print(%m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xi32>
    %w = arith.extsi %v : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func private @printI64(i64)
func.func private @printNewline()

func.func @main() {
  %x = memref.alloc() : memref<32xi32>
  linalg.generic {indexing_maps = [#all], iterator_types = ["parallel"]} outs(%x : memref<32xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.muli %n, %n : i32
    linalg.yield %m : i32
  }
  %x84 = memref.expand_shape %x [[0, 1]] output_shape [8, 4] : memref<32xi32> into memref<8x4xi32>
  %x44 = memref.subview %x84[0, 0] [4, 4] [1, 1] : memref<8x4xi32> to memref<4x4xi32, strided<[4, 1]>>
  %i44 = memref.cast %x44 : memref<4x4xi32, strided<[4, 1]>> to memref<4x4xi32>
  %x4 = memref.subview %x[0] [4] [1] : memref<32xi32> to memref<4xi32, strided<[1]>>
  %i4 = memref.cast %x4 : memref<4xi32, strided<[1]>> to memref<4xi32>
  %x2 = memref.subview %x[0] [2] [1] : memref<32xi32> to memref<2xi32, strided<[1]>>
  %i2 = memref.cast %x2 : memref<2xi32, strided<[1]>> to memref<2xi32>
  %o2 = memref.alloc() : memref<2xi32>
  %o44 = memref.alloc() : memref<4x4xi32>
  %o4 = memref.alloc() : memref<4xi32>
  %o3 = memref.alloc() : memref<3xi32>
  call @collapsed(%i2, %o2) : (memref<2xi32>, memref<2xi32>) -> ()
  call @dropped(%i44, %o44) : (memref<4x4xi32>, memref<4x4xi32>) -> ()
  call @scalar(%i4, %o4) : (memref<4xi32>, memref<4xi32>) -> ()
  call @into(%x84, %o3) : (memref<8x4xi32>, memref<3xi32>) -> ()
  %p2 = memref.cast %o2 : memref<2xi32> to memref<?xi32>
  %f44 = memref.collapse_shape %o44 [[0, 1]] : memref<4x4xi32> into memref<16xi32>
  %p44 = memref.cast %f44 : memref<16xi32> to memref<?xi32>
  %p4 = memref.cast %o4 : memref<4xi32> to memref<?xi32>
  %p3 = memref.cast %o3 : memref<3xi32> to memref<?xi32>
  call @print(%p2) : (memref<?xi32>) -> ()
  call @print(%p44) : (memref<?xi32>) -> ()
  call @print(%p4) : (memref<?xi32>) -> ()
  call @print(%p3) : (memref<?xi32>) -> ()
  return
}
