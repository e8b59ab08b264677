// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arguments that are overwritten before they are read hold buffers until then, on request.

// RUN: stowage-opt %s --elide-copies='lend-arguments in-place=false' | FileCheck %s
// RUN: stowage-opt %s --elide-copies='lend-arguments in-place=false' --remarks-filter=elide-copies -o %t.out 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: stowage-opt %s --elide-copies='lend-arguments in-place=false assume-noalias-arguments' | FileCheck %s --check-prefix=ASSUMED
// RUN: stowage-opt %s --pass-pipeline='builtin.module(elide-copies{lend-arguments in-place=false},elide-copies{lend-arguments in-place=false})' > %t.twice
// RUN: stowage-opt %s --elide-copies='lend-arguments in-place=false' | diff - %t.twice
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{lend-arguments assume-noalias-arguments},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{lend-arguments in-place=false},buffer-deallocation)' | FileCheck %s --check-prefix=SAME

// SAME: equal

// OFF-NOT: memref.reinterpret_cast
// OFF-NOT: lent

// REMARK: remark: [Passed] lent {{.*}}Function=several{{.*}}"768 bytes of 3 buffers are in the argument that it overwrites"

// The largest first, at the lowest cells that are free during its life.

// CHECK-LABEL: func.func @several(
// CHECK: %[[A:.*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<16x8xf32> to memref<8x8xf32>
// CHECK: %[[B:.*]] = memref.reinterpret_cast %arg1 to offset: [64], sizes: [8, 8], strides: [8, 1]
// CHECK: linalg.matmul ins(%arg0, %[[A]] : memref<8x8xf32>, memref<8x8xf32>) outs(%[[B]] : memref<8x8xf32, strided<[8, 1], offset: 64>>)
// CHECK: %[[C:.*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [64]
// CHECK: memref.expand_shape %[[C]]
// CHECK: memref.alloc() : memref<16x8xf32>
// CHECK-COUNT-1: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @several(%x: memref<8x8xf32>, %out: memref<16x8xf32> {llvm.noalias}) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32>
  linalg.exp ins(%x : memref<8x8xf32>) outs(%a : memref<8x8xf32>)
  %b = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%b : memref<8x8xf32>)
  linalg.matmul ins(%x, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  linalg.matmul ins(%x, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%b : memref<8x8xf32>)
  memref.dealloc %a : memref<8x8xf32>
  %c = memref.alloc() : memref<64xf32>
  %ce = memref.expand_shape %c [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<64xf32>)
  linalg.matmul ins(%b, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%ce : memref<8x8xf32>)
  memref.dealloc %b : memref<8x8xf32>
  %d = memref.alloc() : memref<16x8xf32>
  %low = memref.subview %d[0, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %high = memref.subview %d[8, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1], offset: 64>>
  linalg.exp ins(%ce : memref<8x8xf32>) outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  linalg.exp ins(%ce : memref<8x8xf32>) outs(%high : memref<8x8xf32, strided<[8, 1], offset: 64>>)
  linalg.matmul ins(%ce, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%low : memref<8x8xf32, strided<[8, 1]>>)
  memref.dealloc %c : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (15 - i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%d : memref<16x8xf32>) outs(%out : memref<16x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %v : f32
    linalg.yield %s : f32
  }
  memref.dealloc %d : memref<16x8xf32>
  return
}

// A buffer that is copied into the argument is the argument, and what came before it lies there.

// CHECK-LABEL: func.func @copied(
// CHECK: %[[A:.*]] = memref.reinterpret_cast %arg1 to offset: [0], sizes: [4, 4]
// CHECK: outs(%[[A]] :
// CHECK: linalg.log ins(%arg0 : memref<4x4xf32>) outs(%arg1 : memref<4x4xf32>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copied(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}, %sum: memref<4x4xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.exp ins(%a : memref<4x4xf32>) outs(%sum : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  %b = memref.alloc() : memref<4x4xf32>
  linalg.log ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  memref.copy %b, %out : memref<4x4xf32> to memref<4x4xf32>
  memref.dealloc %b : memref<4x4xf32>
  return
}

// A part of an argument takes what is copied there; the rest keeps what its caller had.

// CHECK-LABEL: func.func @part(
// CHECK: %[[P:.*]] = memref.subview %arg1[1, 1] [4, 4]
// CHECK: outs(%[[P]] :
// CHECK-NOT: memref.copy
// CHECK: return
func.func @part(%x: memref<4x4xf32>, %out: memref<6x6xf32> {llvm.noalias}) {
  %b = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  %p = memref.subview %out[1, 1] [4, 4] [1, 1] : memref<6x6xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.copy %b, %p : memref<4x4xf32> to memref<4x4xf32, strided<[6, 1], offset: 7>>
  memref.dealloc %b : memref<4x4xf32>
  return
}

// Nobody said that nothing else reaches it.

// CHECK-LABEL: func.func @may_alias(
// CHECK: memref.alloc
// CHECK: return
// ASSUMED-LABEL: func.func @may_alias(
// ASSUMED-NOT: memref.alloc
// ASSUMED: return
func.func @may_alias(%x: memref<4x4xf32>, %out: memref<4x4xf32>) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  linalg.exp ins(%x : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  return
}

// It is read first.

// CHECK-LABEL: func.func @reads(
// CHECK-COUNT-2: memref.alloc
// CHECK: return
func.func @reads(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
  linalg.matmul ins(%b, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  memref.dealloc %b : memref<4x4xf32>
  return
}

// Only a part of it is overwritten: the caller would see what lay in the rest.

// CHECK-LABEL: func.func @partly(
// CHECK: memref.alloc
// CHECK: return
func.func @partly(%x: memref<4x4xf32>, %out: memref<6x4xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %p = memref.subview %out[0, 0] [4, 4] [1, 1] : memref<6x4xf32> to memref<4x4xf32, strided<[4, 1]>>
  linalg.exp ins(%a : memref<4x4xf32>) outs(%p : memref<4x4xf32, strided<[4, 1]>>)
  memref.dealloc %a : memref<4x4xf32>
  return
}

// It is overwritten on one path only.

// CHECK-LABEL: func.func @sometimes(
// CHECK: memref.alloc
// CHECK: return
func.func @sometimes(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}, %bit: i1) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  scf.if %bit {
    linalg.exp ins(%x : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  }
  return
}

// What the caller put there is read before it is overwritten.

// CHECK-LABEL: func.func @read_first(
// CHECK: memref.alloc
// CHECK: return
func.func @read_first(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}, %bit: i1) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  scf.if %bit {
    linalg.matmul ins(%out, %out : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  }
  linalg.exp ins(%x : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  return
}

// So it is by the op that overwrites it.

// CHECK-LABEL: func.func @read_then(
// CHECK: memref.alloc
// CHECK: return
func.func @read_then(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  linalg.add ins(%x, %out : memref<4x4xf32>, memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  return
}

// LLVM would take it that nothing is read there.

// CHECK-LABEL: func.func @write_only(
// CHECK: memref.alloc
// CHECK: return
func.func @write_only(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias, llvm.writeonly}) {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%x : memref<4x4xf32>)
  linalg.exp ins(%x : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  memref.dealloc %a : memref<4x4xf32>
  return
}

// What reads a guest when the argument is written stays in memory of its own; so does one of other
// elements, and one whose reader counts on more alignment than the argument has.

// CHECK-LABEL: func.func @guests(
// CHECK-DAG: memref.alloc() : memref<4x4xf32>
// CHECK-DAG: memref.alloc() : memref<4x4xi32>
// CHECK-DAG: memref.alloc() {{.*}}: memref<16xf32>
// CHECK-NOT: memref.reinterpret_cast
// CHECK: return
func.func @guests(%x: memref<4x4xf32>, %out: memref<4x4xf32> {llvm.noalias}, %more: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %i = memref.alloc() : memref<4x4xi32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x4xf32>) outs(%i : memref<4x4xi32>) {
  ^bb0(%v: f32, %o: i32):
    %s = arith.bitcast %v : f32 to i32
    linalg.yield %s : i32
  }
  %aligned = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  %v = vector.load %x[%c0, %c0] : memref<4x4xf32>, vector<4xf32>
  %f0 = arith.constant 0.0 : f32
  linalg.fill ins(%f0 : f32) outs(%aligned : memref<16xf32>)
  vector.store %v, %aligned[%c0] {alignment = 64 : i64} : memref<16xf32>, vector<4xf32>
  memref.copy %aligned, %more : memref<16xf32> to memref<16xf32>
  memref.dealloc %aligned : memref<16xf32>
  %read = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : memref<4x4xi32>) outs(%read : memref<4x4xf32>) {
  ^bb0(%w: i32, %o: f32):
    %s = arith.bitcast %w : i32 to f32
    %t = arith.addf %s, %s : f32
    linalg.yield %t : f32
  }
  memref.dealloc %i : memref<4x4xi32>
  linalg.exp ins(%read : memref<4x4xf32>) outs(%out : memref<4x4xf32>)
  memref.dealloc %read : memref<4x4xf32>
  return
}

func.func @seed(%m: memref<?xf32>, %first: f32) {
  %step = arith.constant 0.125 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%v = %first) -> f32 {
    memref.store %v, %m[%i] : memref<?xf32>
    %next = arith.subf %v, %step : f32
    scf.yield %next : f32
  }
  return
}

func.func @show(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    vector.print %v : f32
  }
  return
}

func.func @main() {
  %one = arith.constant 1.0 : f32
  %yes = arith.constant true
  %no = arith.constant false
  %m0 = memref.alloc() : memref<8x8xf32>
  %m0_flat = memref.collapse_shape %m0 [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  %m0_any = memref.cast %m0_flat : memref<64xf32> to memref<?xf32>
  func.call @seed(%m0_any, %one) : (memref<?xf32>, f32) -> ()
  %m1 = memref.alloc() : memref<16x8xf32>
  %m1_flat = memref.collapse_shape %m1 [[0, 1]] : memref<16x8xf32> into memref<128xf32>
  %m1_any = memref.cast %m1_flat : memref<128xf32> to memref<?xf32>
  func.call @seed(%m1_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @several(%m0, %m1) : (memref<8x8xf32>, memref<16x8xf32>) -> ()
  func.call @show(%m0_any) : (memref<?xf32>) -> ()
  func.call @show(%m1_any) : (memref<?xf32>) -> ()
  memref.dealloc %m0 : memref<8x8xf32>
  memref.dealloc %m1 : memref<16x8xf32>
  %m2 = memref.alloc() : memref<4x4xf32>
  %m2_flat = memref.collapse_shape %m2 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m2_any = memref.cast %m2_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m2_any, %one) : (memref<?xf32>, f32) -> ()
  %m3 = memref.alloc() : memref<4x4xf32>
  %m3_flat = memref.collapse_shape %m3 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m3_any = memref.cast %m3_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m3_any, %one) : (memref<?xf32>, f32) -> ()
  %m4 = memref.alloc() : memref<4x4xf32>
  %m4_flat = memref.collapse_shape %m4 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m4_any = memref.cast %m4_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m4_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @copied(%m2, %m3, %m4) : (memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>) -> ()
  func.call @show(%m2_any) : (memref<?xf32>) -> ()
  func.call @show(%m3_any) : (memref<?xf32>) -> ()
  func.call @show(%m4_any) : (memref<?xf32>) -> ()
  memref.dealloc %m2 : memref<4x4xf32>
  memref.dealloc %m3 : memref<4x4xf32>
  memref.dealloc %m4 : memref<4x4xf32>
  %m5 = memref.alloc() : memref<4x4xf32>
  %m5_flat = memref.collapse_shape %m5 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m5_any = memref.cast %m5_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m5_any, %one) : (memref<?xf32>, f32) -> ()
  %m6 = memref.alloc() : memref<6x6xf32>
  %m6_flat = memref.collapse_shape %m6 [[0, 1]] : memref<6x6xf32> into memref<36xf32>
  %m6_any = memref.cast %m6_flat : memref<36xf32> to memref<?xf32>
  func.call @seed(%m6_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @part(%m5, %m6) : (memref<4x4xf32>, memref<6x6xf32>) -> ()
  func.call @show(%m5_any) : (memref<?xf32>) -> ()
  func.call @show(%m6_any) : (memref<?xf32>) -> ()
  memref.dealloc %m5 : memref<4x4xf32>
  memref.dealloc %m6 : memref<6x6xf32>
  %m7 = memref.alloc() : memref<4x4xf32>
  %m7_flat = memref.collapse_shape %m7 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m7_any = memref.cast %m7_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m7_any, %one) : (memref<?xf32>, f32) -> ()
  %m8 = memref.alloc() : memref<4x4xf32>
  %m8_flat = memref.collapse_shape %m8 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m8_any = memref.cast %m8_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m8_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @may_alias(%m7, %m8) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  func.call @show(%m7_any) : (memref<?xf32>) -> ()
  func.call @show(%m8_any) : (memref<?xf32>) -> ()
  memref.dealloc %m7 : memref<4x4xf32>
  memref.dealloc %m8 : memref<4x4xf32>
  %m9 = memref.alloc() : memref<4x4xf32>
  %m9_flat = memref.collapse_shape %m9 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m9_any = memref.cast %m9_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m9_any, %one) : (memref<?xf32>, f32) -> ()
  %m10 = memref.alloc() : memref<4x4xf32>
  %m10_flat = memref.collapse_shape %m10 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m10_any = memref.cast %m10_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m10_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @reads(%m9, %m10) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  func.call @show(%m9_any) : (memref<?xf32>) -> ()
  func.call @show(%m10_any) : (memref<?xf32>) -> ()
  memref.dealloc %m9 : memref<4x4xf32>
  memref.dealloc %m10 : memref<4x4xf32>
  %m11 = memref.alloc() : memref<4x4xf32>
  %m11_flat = memref.collapse_shape %m11 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m11_any = memref.cast %m11_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m11_any, %one) : (memref<?xf32>, f32) -> ()
  %m12 = memref.alloc() : memref<6x4xf32>
  %m12_flat = memref.collapse_shape %m12 [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  %m12_any = memref.cast %m12_flat : memref<24xf32> to memref<?xf32>
  func.call @seed(%m12_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @partly(%m11, %m12) : (memref<4x4xf32>, memref<6x4xf32>) -> ()
  func.call @show(%m11_any) : (memref<?xf32>) -> ()
  func.call @show(%m12_any) : (memref<?xf32>) -> ()
  memref.dealloc %m11 : memref<4x4xf32>
  memref.dealloc %m12 : memref<6x4xf32>
  %m13 = memref.alloc() : memref<4x4xf32>
  %m13_flat = memref.collapse_shape %m13 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m13_any = memref.cast %m13_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m13_any, %one) : (memref<?xf32>, f32) -> ()
  %m14 = memref.alloc() : memref<4x4xf32>
  %m14_flat = memref.collapse_shape %m14 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m14_any = memref.cast %m14_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m14_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @sometimes(%m13, %m14, %yes) : (memref<4x4xf32>, memref<4x4xf32>, i1) -> ()
  func.call @show(%m13_any) : (memref<?xf32>) -> ()
  func.call @show(%m14_any) : (memref<?xf32>) -> ()
  memref.dealloc %m13 : memref<4x4xf32>
  memref.dealloc %m14 : memref<4x4xf32>
  %m15 = memref.alloc() : memref<4x4xf32>
  %m15_flat = memref.collapse_shape %m15 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m15_any = memref.cast %m15_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m15_any, %one) : (memref<?xf32>, f32) -> ()
  %m16 = memref.alloc() : memref<4x4xf32>
  %m16_flat = memref.collapse_shape %m16 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m16_any = memref.cast %m16_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m16_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @sometimes(%m15, %m16, %no) : (memref<4x4xf32>, memref<4x4xf32>, i1) -> ()
  func.call @show(%m15_any) : (memref<?xf32>) -> ()
  func.call @show(%m16_any) : (memref<?xf32>) -> ()
  memref.dealloc %m15 : memref<4x4xf32>
  memref.dealloc %m16 : memref<4x4xf32>
  %m17 = memref.alloc() : memref<4x4xf32>
  %m17_flat = memref.collapse_shape %m17 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m17_any = memref.cast %m17_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m17_any, %one) : (memref<?xf32>, f32) -> ()
  %m18 = memref.alloc() : memref<4x4xf32>
  %m18_flat = memref.collapse_shape %m18 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m18_any = memref.cast %m18_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m18_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @read_first(%m17, %m18, %yes) : (memref<4x4xf32>, memref<4x4xf32>, i1) -> ()
  func.call @show(%m17_any) : (memref<?xf32>) -> ()
  func.call @show(%m18_any) : (memref<?xf32>) -> ()
  memref.dealloc %m17 : memref<4x4xf32>
  memref.dealloc %m18 : memref<4x4xf32>
  %m19 = memref.alloc() : memref<4x4xf32>
  %m19_flat = memref.collapse_shape %m19 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m19_any = memref.cast %m19_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m19_any, %one) : (memref<?xf32>, f32) -> ()
  %m20 = memref.alloc() : memref<4x4xf32>
  %m20_flat = memref.collapse_shape %m20 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m20_any = memref.cast %m20_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m20_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @read_first(%m19, %m20, %no) : (memref<4x4xf32>, memref<4x4xf32>, i1) -> ()
  func.call @show(%m19_any) : (memref<?xf32>) -> ()
  func.call @show(%m20_any) : (memref<?xf32>) -> ()
  memref.dealloc %m19 : memref<4x4xf32>
  memref.dealloc %m20 : memref<4x4xf32>
  %m21 = memref.alloc() : memref<4x4xf32>
  %m21_flat = memref.collapse_shape %m21 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m21_any = memref.cast %m21_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m21_any, %one) : (memref<?xf32>, f32) -> ()
  %m22 = memref.alloc() : memref<4x4xf32>
  %m22_flat = memref.collapse_shape %m22 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m22_any = memref.cast %m22_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m22_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @read_then(%m21, %m22) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
  func.call @show(%m21_any) : (memref<?xf32>) -> ()
  func.call @show(%m22_any) : (memref<?xf32>) -> ()
  memref.dealloc %m21 : memref<4x4xf32>
  memref.dealloc %m22 : memref<4x4xf32>
  %m23 = memref.alloc() : memref<4x4xf32>
  %m23_flat = memref.collapse_shape %m23 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m23_any = memref.cast %m23_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m23_any, %one) : (memref<?xf32>, f32) -> ()
  %m24 = memref.alloc() : memref<4x4xf32>
  %m24_flat = memref.collapse_shape %m24 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %m24_any = memref.cast %m24_flat : memref<16xf32> to memref<?xf32>
  func.call @seed(%m24_any, %one) : (memref<?xf32>, f32) -> ()
  %m25 = memref.alloc() : memref<16xf32>
  %m25_any = memref.cast %m25 : memref<16xf32> to memref<?xf32>
  func.call @seed(%m25_any, %one) : (memref<?xf32>, f32) -> ()
  func.call @guests(%m23, %m24, %m25) : (memref<4x4xf32>, memref<4x4xf32>, memref<16xf32>) -> ()
  func.call @show(%m23_any) : (memref<?xf32>) -> ()
  func.call @show(%m24_any) : (memref<?xf32>) -> ()
  func.call @show(%m25_any) : (memref<?xf32>) -> ()
  memref.dealloc %m23 : memref<4x4xf32>
  memref.dealloc %m24 : memref<4x4xf32>
  memref.dealloc %m25 : memref<16xf32>
  return
}
