// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is said of streams, of large buffers that stay whole, and where nothing was done.

// RUN: stowage-opt %s --split-input-file --stream-rows=rows=1 --remarks-filter=stream-rows -o /dev/null 2>&1 | grep remark: | FileCheck %s --implicit-check-not=remark:

#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Each row of the product needs all of %b, and the sum is there at the end.

// CHECK: remark: [Analysis] peak | Category:stream-rows | Function=product | Remark="local buffers of the block need 4480 bytes at the worst moment, not 12288"
// CHECK: remark: [Passed] streamed | Category:stream-rows | Function=product | Remark="4 ops run together in 32 steps: 2 buffers keep 256 bytes of rows"
// CHECK: remark: [Missed] all-rows | Category:stream-rows | Function=product | Reason="each row of the op's result needs all of them", Remark="4096 bytes stay whole: linalg.matmul needs them at {{.*}}remarks.mlir:{{.*}}"
// CHECK: remark: [Passed] function | Category:stream-rows | Function=product | Remark="streams: 1; arenas of 4480 bytes, not 12288"
func.func @product(%x: memref<32x32xf32>, %out: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<32x32xf32>
  %b = memref.alloc() : memref<32x32xf32>
  %c = memref.alloc() : memref<32x32xf32>
  %s = memref.alloc() : memref<32xf32>
  linalg.exp ins(%x : memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  linalg.abs ins(%x : memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.fill ins(%zero : f32) outs(%c : memref<32x32xf32>)
  linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<32xf32>)
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]}
    ins(%c : memref<32x32xf32>) outs(%s : memref<32xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %sum, %in : f32
    linalg.yield %next : f32
  }
  memref.copy %s, %out : memref<32xf32> to memref<32xf32>
  return
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
#each = affine_map<(d0, d1) -> (d1)>

// A mean over all rows is taken off each of them: an op that reads it cannot run in the same steps.

// CHECK: remark: [Analysis] peak | Category:stream-rows | Function=norm | Remark="local buffers of the block need 2112 bytes at the worst moment, not 4096"
// CHECK: remark: [Passed] streamed | Category:stream-rows | Function=norm | Remark="3 ops run together in 64 steps: 1 buffer keeps 64 bytes of rows"
// CHECK: remark: [Missed] writes-outside | Category:stream-rows | Function=norm | Reason="the op writes memory that is not the block's own", Remark="2048 bytes stay whole: linalg.generic needs them at {{.*}}remarks.mlir:{{.*}}", Suggestion="if nothing else reaches the argument's memory, give it llvm.noalias, or set assume-noalias-arguments"
// CHECK: remark: [Passed] function | Category:stream-rows | Function=norm | Remark="streams: 1; arenas of 2080 bytes, not 4096"
func.func @norm(%x: memref<64x8xf32>, %f: memref<8x8xf32>, %out: memref<64x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64x8xf32>
  %b = memref.alloc() : memref<64x8xf32>
  %s = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.fill ins(%zero : f32) outs(%b : memref<64x8xf32>)
  linalg.matmul ins(%a, %f : memref<64x8xf32>, memref<8x8xf32>) outs(%b : memref<64x8xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<8xf32>)
  linalg.generic {indexing_maps = [#rows, #column], iterator_types = ["reduction", "parallel"]}
    ins(%b : memref<64x8xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %sum, %in : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#rows, #each, #rows], iterator_types = ["parallel", "parallel"]}
    ins(%b, %s : memref<64x8xf32>, memref<8xf32>) outs(%out : memref<64x8xf32>) {
  ^bb0(%in: f32, %sum: f32, %old: f32):
    %less = arith.subf %in, %sum : f32
    linalg.yield %less : f32
  }
  return
}

// -----

// The loop touches %b in ways that are not looked into.

// CHECK: remark: [Analysis] peak | Category:stream-rows | Function=loop | Remark="local buffers of the block need 2112 bytes at the worst moment, not 4096"
// CHECK: remark: [Passed] streamed | Category:stream-rows | Function=loop | Remark="2 ops run together in 64 steps: 1 buffer keeps 64 bytes of rows"
// CHECK: remark: [Missed] not-split | Category:stream-rows | Function=loop | Reason="the op has no loop along the rows that could run in parts", Remark="2048 bytes stay whole: scf.for needs them at {{.*}}remarks.mlir:{{.*}}", Suggestion="another form of the op: linalg, of static shape, whose maps go from the first row to the last"
// CHECK: remark: [Passed] function | Category:stream-rows | Function=loop | Remark="streams: 1; arenas of 2080 bytes, not 4096"
func.func @loop(%x: memref<64x8xf32>, %out: memref<64x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64x8xf32>
  %b = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%b : memref<64x8xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %b[%i, %c0] : memref<64x8xf32>
    memref.store %v, %b[%c0, %i] : memref<64x8xf32>
  }
  memref.copy %b, %out : memref<64x8xf32> to memref<64x8xf32>
  return
}

// -----

// The op writes an argument.

// CHECK: remark: [Missed] writes-outside | Category:stream-rows | Function=outside | Reason="the op writes memory that is not the block's own", Remark="2048 bytes stay whole: linalg.abs needs them at {{.*}}remarks.mlir:{{.*}}", Suggestion="if nothing else reaches the argument's memory, give it llvm.noalias, or set assume-noalias-arguments"
// CHECK: remark: [Analysis] nothing-done | Category:stream-rows | Remark="of 2 linalg ops and copies no stream makes an arena smaller"
func.func @outside(%x: memref<64x8xf32>, %out: memref<64x8xf32>) {
  %a = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%out : memref<64x8xf32>)
  return
}

// -----

// The function's peak is in a branch. The stream's rows lie in an arena of their own, in its loop.

// CHECK: remark: [Missed] undone | Category:stream-rows | Function=branch | Remark="streams: 1, undone: they need arenas of 16384 bytes, the function as it was 16384"
// CHECK: remark: [Analysis] nothing-done | Category:stream-rows | Remark="of 3 linalg ops and copies no stream makes an arena smaller"
func.func @branch(%x: memref<64x8xf32>, %c: i1) -> memref<64x8xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64x8xf32>
  %y = memref.alloc() : memref<64x8xf32>
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.abs ins(%a : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
  scf.if %c {
    %b = memref.alloc() : memref<512x8xf32>
    linalg.copy ins(%x : memref<64x8xf32>) outs(%y : memref<64x8xf32>)
    %v = memref.load %b[%c0, %c0] : memref<512x8xf32>
    memref.store %v, %y[%c0, %c0] : memref<64x8xf32>
  }
  return %y : memref<64x8xf32>
}

// -----


// CHECK: remark: [Analysis] nothing-done | Category:stream-rows | Remark="no linalg op or copy on memrefs of static shape: tensors are not bufferized yet"
func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
