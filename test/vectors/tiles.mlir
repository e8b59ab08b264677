// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles follow from the registers: of 16 with four lanes each, six points by two vectors.

// RUN: stowage-opt %s --convert-linalg-to-vectors --split-input-file | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors=contract --split-input-file | FileCheck %s --check-prefix=FUSED
// RUN: stowage-opt %s --convert-linalg-to-vectors --split-input-file --remarks-filter=convert-linalg-to-vectors -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: not stowage-opt %s --convert-linalg-to-vectors=vector-bits=100 2>&1 | FileCheck %s --check-prefix=BITS
// RUN: not stowage-opt %s --convert-linalg-to-vectors=registers=2 2>&1 | FileCheck %s --check-prefix=REGISTERS

// BITS: vector-bits{{.*}}a power of two from 32 to 4096
// REGISTERS: registers{{.*}}a number from 4 to 256

// CHECK-LABEL: func.func @product
// CHECK-NOT: linalg.matmul
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-12: vector.load
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-6: memref.load
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-12: arith.addf {{.*}} : vector<4xf32>
// CHECK: scf.yield
// CHECK-COUNT-12: vector.store
// FUSED-LABEL: func.func @product
// FUSED-NOT: arith.mulf
// FUSED-COUNT-12: llvm.intr.fmuladd({{.*}}) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// FUSED-NOT: arith.mulf
// FUSED: return
func.func @product(%a: memref<12x40xf32>, %b: memref<40x16xf32>, %c: memref<12x16xf32>) {
  linalg.matmul ins(%a, %b : memref<12x40xf32>, memref<40x16xf32>) outs(%c : memref<12x16xf32>)
  return
}

// -----

// Sums along rows: squares are transposed in registers, and each row is added up in order.

// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: arith.addf {{.*}} : vector<4xf32>
func.func @rows(%x: memref<8x32xf32>, %sum: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x32xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.addf %v, %s : f32
    linalg.yield %n : f32
  }
  return
}

// -----

// CHECK-LABEL: func.func @left
// CHECK-COUNT-3: linalg.
// LEFT: left-alone{{.*}}its sizes are not known
// LEFT: left-alone{{.*}}elements that do not fill bytes
// LEFT: left-alone{{.*}}its body does more than compute numbers of numbers
func.func @left(%x: memref<?xf32>, %bits: memref<8xi1>, %y: memref<8xindex>, %z: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %no = arith.constant false
  linalg.fill ins(%zero : f32) outs(%x : memref<?xf32>)
  linalg.fill ins(%no : i1) outs(%bits : memref<8xi1>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%z : memref<8xf32>) {
  ^bb0(%s: f32):
    %i = linalg.index 0 : index
    %v = memref.load %x[%i] : memref<?xf32>
    linalg.yield %v : f32
  }
  return
}
