// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Buffers that may not share bytes with others row by row: but for that one thing %b would lie over dead
// rows of %a in each of these functions, as it does in the first one.

// RUN: stowage-opt %s --split-input-file --stream-rows=rows=1 2>/dev/null | FileCheck %s
// RUN: stowage-opt %s --split-input-file --pass-pipeline='builtin.module(stream-rows{rows=1},merge-alloc{alignment-in-bytes=128},check-arena-plan)' -o /dev/null

// Nothing is in the way.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @alike
// CHECK:       memref.view {{.*}} {stowage.rows = {{[0-9]+}} : i64} : {{.*}} to memref<64x16xf32>
// CHECK:       memref.view {{.*}} {stowage.rows = {{[0-9]+}} : i64} : {{.*}} to memref<64x16xf32>
func.func @alike(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// Another memory.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @spaces
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       scf.for
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       return
func.func @spaces(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32, 1>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32, 1>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32, 1>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// Somebody is told how %b is aligned.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @promised
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       scf.for
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       return
func.func @promised(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  %p = memref.assume_alignment %b, 64 : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%p : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%p : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// %b asks for more alignment than places have.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @aligned
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       scf.for
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       return
func.func @aligned(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() {alignment = 128 : i64} : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// -----

// %b is freed, %a is not.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @freed
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       scf.for
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       return
func.func @freed(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  memref.dealloc %b : memref<64x16xf32>
  return
}

// -----

// The rows of %b have gaps.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>
// CHECK-LABEL: func.func @strided
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       scf.for
// CHECK-NOT:   memref.view {{.*}}stowage.rows
// CHECK:       return
func.func @strided(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32, strided<[32, 1]>>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32, strided<[32, 1]>>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32, strided<[32, 1]>>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}
