// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each way in which an op keeps a buffer whole, or is none that runs by rows, with the reason that is
// given and the op that is named. But for that one thing every function here would be a stream.

// RUN: stowage-opt %s --allow-unregistered-dialect --split-input-file --stream-rows=report=text -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// IR-NOT: scf.for
// IR: func.func @all_rows
// IR: scf.for
// IR-NOT: scf.for
// IR: func.func @one_row

// An index that is no sum of loops. All columns are one.

#mod = affine_map<(d0) -> (d0 mod 64)>
#id = affine_map<(d0) -> (d0)>
// CHECK: {{^}}remainder
// CHECK: not-split: {{.*}}: linalg.generic at
func.func @remainder(%x: memref<64xf32>) -> memref<64xf32> {
  %rows = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%rows : memref<64xf32>)
  %y = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#mod, #id], iterator_types = ["parallel"]}
    ins(%rows : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %y : memref<64xf32>
}

// -----

// Both indices are the loop: a part of its iterations is no slice of the operand.

#both = affine_map<(d0) -> (d0, d0)>
#id = affine_map<(d0) -> (d0)>
// CHECK: {{^}}diagonal
// CHECK: not-split: {{.*}}: linalg.generic at
func.func @diagonal(%x: memref<64x64xf32>) -> memref<64xf32> {
  %rows = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%rows : memref<64x64xf32>)
  %y = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#both, #id], iterator_types = ["parallel"]}
    ins(%rows : memref<64x64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %y : memref<64xf32>
}

// -----

// Split along its second loop, the sum would be added up in another order.

#turned = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0)>
#none = affine_map<(d0, d1) -> ()>
// CHECK: {{^}}order
// CHECK: not-split:
func.func @order(%x: memref<64xf32>, %k: memref<4xf32>) -> memref<f32> {
  %zero = arith.constant 0.0 : f32
  %rows = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%rows : memref<64xf32>)
  %y = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%y : memref<f32>)
  linalg.generic {indexing_maps = [#id, #turned, #none], iterator_types = ["reduction", "reduction"]}
    ins(%k, %rows : memref<4xf32>, memref<64xf32>) outs(%y : memref<f32>) {
  ^bb0(%by: f32, %in: f32, %sum: f32):
    %part = arith.mulf %by, %in : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  }
  return %y : memref<f32>
}

// -----

// Two iterations write one cell, and the last one counts.

#half = affine_map<(d0, d1) -> (d0 floordiv 2, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: {{^}}same_cells
// CHECK: not-split: {{.*}}: linalg.generic at
func.func @same_cells(%x: memref<64x16xf32>) -> memref<32x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<32x16xf32>
  linalg.generic {indexing_maps = [#id, #half], iterator_types = ["parallel", "parallel"]}
    ins(%rows : memref<64x16xf32>) outs(%y : memref<32x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %y : memref<32x16xf32>
}

// -----

// A view whose place is known when the program runs.

// CHECK: {{^}}moving_view
// CHECK: all-rows: {{.*}}: linalg.add at
func.func @moving_view(%x: memref<64x16xf32>, %i: index, %f: f32) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<80x32xf32>
  linalg.fill ins(%f : f32) outs(%rows : memref<80x32xf32>)
  %some = memref.subview %rows[%i, %i] [64, 16] [1, 1] : memref<80x32xf32> to memref<64x16xf32, strided<[32, 1], offset: ?>>
  %y = memref.alloc() : memref<64x16xf32>
  linalg.add ins(%some, %x : memref<64x16xf32, strided<[32, 1], offset: ?>>, memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// Rows are what is left when columns of a view are taken together: some of two rows in each.

// CHECK: {{^}}pieces
// CHECK: not-split:
func.func @pieces(%x: memref<64x6xf32>) -> memref<96x4xf32> {
  %rows = memref.alloc() : memref<64x6xf32>
  linalg.exp ins(%x : memref<64x6xf32>) outs(%rows : memref<64x6xf32>)
  %line = memref.collapse_shape %rows [[0, 1]] : memref<64x6xf32> into memref<384xf32>
  %pieces = memref.expand_shape %line [[0, 1]] output_shape [96, 4] : memref<384xf32> into memref<96x4xf32>
  %y = memref.alloc() : memref<96x4xf32>
  linalg.abs ins(%pieces : memref<96x4xf32>) outs(%y : memref<96x4xf32>)
  return %y : memref<96x4xf32>
}

// -----

// A view that may name anything behind the buffer's first byte.

// CHECK: {{^}}reinterpreted
// CHECK: all-rows: {{.*}}: linalg.abs at
func.func @reinterpreted(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %seen = memref.reinterpret_cast %rows to offset: [0], sizes: [64, 16], strides: [16, 1] : memref<64x16xf32> to memref<64x16xf32>
  %y = memref.alloc() : memref<64x16xf32>
  linalg.abs ins(%seen : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// A view whose rows are columns of the buffer.

// CHECK: {{^}}transposed
// CHECK: all-rows: {{.*}}: linalg.abs at
func.func @transposed(%x: memref<64x64xf32>) -> memref<64x64xf32> {
  %rows = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%rows : memref<64x64xf32>)
  %turned = memref.transpose %rows (i, j) -> (j, i) : memref<64x64xf32> to memref<64x64xf32, strided<[1, 64]>>
  %y = memref.alloc() : memref<64x64xf32>
  linalg.abs ins(%turned : memref<64x64xf32, strided<[1, 64]>>) outs(%y : memref<64x64xf32>)
  return %y : memref<64x64xf32>
}

// -----

// One op writes what it reads by another name, a row further on.

// CHECK: {{^}}two_names
// CHECK: not-split: {{.*}}: linalg.add at
func.func @two_names(%x: memref<65x16xf32>) -> memref<65x16xf32> {
  %all = memref.alloc() : memref<65x16xf32>
  linalg.exp ins(%x : memref<65x16xf32>) outs(%all : memref<65x16xf32>)
  %from = memref.subview %all[0, 0] [64, 16] [1, 1] : memref<65x16xf32> to memref<64x16xf32, strided<[16, 1]>>
  %to = memref.subview %all[1, 0] [64, 16] [1, 1] : memref<65x16xf32> to memref<64x16xf32, strided<[16, 1], offset: 16>>
  linalg.add ins(%from, %to : memref<64x16xf32, strided<[16, 1]>>, memref<64x16xf32, strided<[16, 1], offset: 16>>) outs(%to : memref<64x16xf32, strided<[16, 1], offset: 16>>)
  %y = memref.alloc() : memref<65x16xf32>
  linalg.abs ins(%all : memref<65x16xf32>) outs(%y : memref<65x16xf32>)
  return %y : memref<65x16xf32>
}

// -----

// Two arguments may be the same memory: what one op writes the other may read.

// CHECK: {{^}}arguments
// CHECK: writes-outside: {{.*}}: linalg.abs at
func.func @arguments(%x: memref<64x16xf32>, %out: memref<64x16xf32>) {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%out : memref<64x16xf32>)
  return
}

// -----

// An op that nobody knows may keep the buffer.

// CHECK: stream-rows: 0 streams
// CHECK-NEXT: no buffer that merge-alloc would plan
func.func @unknown(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  "some.op"(%rows) : (memref<64x16xf32>) -> ()
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// An op that reads the buffer, but is no loop.

// CHECK: {{^}}vectors
// CHECK: not-split: {{.*}}: vector.transfer_read at
func.func @vectors(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %some = vector.transfer_read %rows[%c0, %c0], %zero : memref<64x16xf32>, vector<4xf32>
  %one = vector.extract %some[0] : f32 from vector<4xf32>
  memref.store %one, %rows[%c0, %c0] : memref<64x16xf32>
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// Its address is stored.

// CHECK: stream-rows: 0 streams
// CHECK-NEXT: no buffer that merge-alloc would plan
func.func @stored(%x: memref<64x16xf32>, %to: memref<1xmemref<64x16xf32>>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %c0 = arith.constant 0 : index
  memref.store %rows, %to[%c0] : memref<1xmemref<64x16xf32>>
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// The address goes to a load that must happen where it stands.

// CHECK: stream-rows: 0 streams
// CHECK-NEXT: no buffer that merge-alloc would plan
func.func @volatile(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %address = memref.extract_aligned_pointer_as_index %rows : memref<64x16xf32> -> index
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  %v = llvm.load volatile %pointer : !llvm.ptr -> f32
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// A loop touches rows one by one, in an order that is not looked into.

// CHECK: {{^}}looped
// CHECK: not-split: {{.*}}: affine.for at
func.func @looped(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  affine.for %i = 0 to 64 {
    %v = memref.load %rows[%i, %c0] : memref<64x16xf32>
    memref.store %v, %rows[%i, %c1] : memref<64x16xf32>
  }
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// The buffer between is returned, too: its bytes are in no arena.

// CHECK: stream-rows: 0 streams
// CHECK-NEXT: no buffer that merge-alloc would plan
// CHECK-NOT: {{^}}result
func.func @result(%x: memref<64x16xf32>) -> (memref<64x16xf32>, memref<64x16xf32>) {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  linalg.abs ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %rows, %y : memref<64x16xf32>, memref<64x16xf32>
}

// -----

// Each row of a product needs the whole right side.

// CHECK: {{^}}all_rows
// CHECK: all-rows: {{.*}}: linalg.matmul at
func.func @all_rows(%x: memref<64x64xf32>) -> memref<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %left = memref.alloc() : memref<64x64xf32>
  linalg.abs ins(%x : memref<64x64xf32>) outs(%left : memref<64x64xf32>)
  %right = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%right : memref<64x64xf32>)
  %y = memref.alloc() : memref<64x64xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<64x64xf32>)
  linalg.matmul ins(%left, %right : memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  return %y : memref<64x64xf32>
}

// -----

// Each row is divided by a sum over all of them: both cannot run in the same steps.

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
// CHECK: {{^}}mean
// CHECK: not-in-steps: {{.*}}: linalg.generic at
func.func @mean(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.reduce { arith.addf } ins(%rows : memref<64x16xf32>) outs(%sum : memref<f32>) dimensions = [0, 1]
  %y = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]}
    ins(%rows, %sum : memref<64x16xf32>, memref<f32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %all: f32, %out: f32):
    %share = arith.divf %in, %all : f32
    linalg.yield %share : f32
  }
  return %y : memref<64x16xf32>
}

// -----

// The peak is where another op is: a stream of the first two would not lower it.

#back = affine_map<(d0, d1) -> (63 - d0, 15 - d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: {{^}}elsewhere
// CHECK: across-a-cut:
func.func @elsewhere(%x: memref<64x16xf32>) -> (memref<64x16xf32>, memref<8x8xf32>) {
  %rows = memref.alloc() : memref<8x8xf32>
  %some = memref.subview %x[0, 0] [8, 8] [1, 1] : memref<64x16xf32> to memref<8x8xf32, strided<[16, 1]>>
  linalg.exp ins(%some : memref<8x8xf32, strided<[16, 1]>>) outs(%rows : memref<8x8xf32>)
  %few = memref.alloc() : memref<8x8xf32>
  linalg.abs ins(%rows : memref<8x8xf32>) outs(%few : memref<8x8xf32>)
  %large = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%large : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%large : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return %y, %few : memref<64x16xf32>, memref<8x8xf32>
}

// -----

// One row is all rows.

// CHECK: {{^}}one_row
// CHECK: not-split:
func.func @one_row(%x: memref<1x1xf32>) -> memref<1x1xf32> {
  %rows = memref.alloc() : memref<1x1xf32>
  linalg.exp ins(%x : memref<1x1xf32>) outs(%rows : memref<1x1xf32>)
  %y = memref.alloc() : memref<1x1xf32>
  linalg.abs ins(%rows : memref<1x1xf32>) outs(%y : memref<1x1xf32>)
  return %y : memref<1x1xf32>
}

// -----

// One op has a dimension that is known when the program runs.

// CHECK: {{^}}dynamic
// CHECK: not-split: {{.*}}: linalg.exp at
func.func @dynamic(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %more = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%rows : memref<64x16xf32>) outs(%more : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %from = memref.cast %more : memref<64x16xf32> to memref<?x16xf32>
  %to = memref.cast %y : memref<64x16xf32> to memref<?x16xf32>
  linalg.exp ins(%from : memref<?x16xf32>) outs(%to : memref<?x16xf32>)
  return %y : memref<64x16xf32>
}

// -----

// A copy of memrefs whose rank nobody knows.

// CHECK: {{^}}unranked
// CHECK: not-split: {{.*}}: memref.copy at
func.func @unranked(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %more = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%rows : memref<64x16xf32>) outs(%more : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  %from = memref.cast %more : memref<64x16xf32> to memref<*xf32>
  %to = memref.cast %y : memref<64x16xf32> to memref<*xf32>
  memref.copy %from, %to : memref<*xf32> to memref<*xf32>
  return %y : memref<64x16xf32>
}

// -----

// More dimensions than are looked into.

// CHECK: stream-rows: 0 streams
func.func @dimensions(%x: memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>) -> memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32> {
  %rows = memref.alloc() : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>
  linalg.exp ins(%x : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>) outs(%rows : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>)
  %y = memref.alloc() : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>
  linalg.exp ins(%rows : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>) outs(%y : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>)
  return %y : memref<64x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x16xf32>
}

// -----

// The last result is returned.

// CHECK: {{^}}last
// CHECK: escapes: it is returned
func.func @last(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %rows = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%x : memref<64x16xf32>) outs(%rows : memref<64x16xf32>)
  %y = memref.alloc() : memref<64x16xf32>
  linalg.exp ins(%rows : memref<64x16xf32>) outs(%y : memref<64x16xf32>)
  return %y : memref<64x16xf32>
}
