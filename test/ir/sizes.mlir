// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis pool-all alignment-in-bytes=1 report=csv:%t.csv" -o /dev/null
// RUN: FileCheck %s < %t.csv

// A buffer's bytes are those that the lowering to LLVM allocates: whole elements, each padded to
// its alignment. Twelve elements of each type; the columns are size and alignment.

// CHECK: id,lower,upper,size,alignment
func.func @sizes() {
  // CHECK: ,12,1,{{.*}}%alloc,
  %i1 = memref.alloc() : memref<12xi1>
  memref.copy %i1, %i1 : memref<12xi1> to memref<12xi1>
  memref.dealloc %i1 : memref<12xi1>
  // CHECK-NEXT: ,12,1,
  %i4 = memref.alloc() : memref<12xi4>
  memref.copy %i4, %i4 : memref<12xi4> to memref<12xi4>
  memref.dealloc %i4 : memref<12xi4>
  // CHECK-NEXT: ,24,2,
  %i9 = memref.alloc() : memref<12xi9>
  memref.copy %i9, %i9 : memref<12xi9> to memref<12xi9>
  memref.dealloc %i9 : memref<12xi9>
  // CHECK-NEXT: ,48,4,
  %i24 = memref.alloc() : memref<12xi24>
  memref.copy %i24, %i24 : memref<12xi24> to memref<12xi24>
  memref.dealloc %i24 : memref<12xi24>
  // CHECK-NEXT: ,96,8,
  %i33 = memref.alloc() : memref<12xi33>
  memref.copy %i33, %i33 : memref<12xi33> to memref<12xi33>
  memref.dealloc %i33 : memref<12xi33>
  // CHECK-NEXT: ,96,8,
  %index = memref.alloc() : memref<12xindex>
  memref.copy %index, %index : memref<12xindex> to memref<12xindex>
  memref.dealloc %index : memref<12xindex>
  // CHECK-NEXT: ,24,2,
  %bf16 = memref.alloc() : memref<12xbf16>
  memref.copy %bf16, %bf16 : memref<12xbf16> to memref<12xbf16>
  memref.dealloc %bf16 : memref<12xbf16>
  // CHECK-NEXT: ,12,1,
  %f8 = memref.alloc() : memref<12xf8E4M3FN>
  memref.copy %f8, %f8 : memref<12xf8E4M3FN> to memref<12xf8E4M3FN>
  memref.dealloc %f8 : memref<12xf8E4M3FN>
  // CHECK-NEXT: ,192,16,
  %f80 = memref.alloc() : memref<12xf80>
  memref.copy %f80, %f80 : memref<12xf80> to memref<12xf80>
  memref.dealloc %f80 : memref<12xf80>
  // CHECK-NEXT: ,192,16,
  %f128 = memref.alloc() : memref<12xf128>
  memref.copy %f128, %f128 : memref<12xf128> to memref<12xf128>
  memref.dealloc %f128 : memref<12xf128>
  // CHECK-NEXT: ,96,4,
  %c32 = memref.alloc() : memref<12xcomplex<f32>>
  memref.copy %c32, %c32 : memref<12xcomplex<f32>> to memref<12xcomplex<f32>>
  memref.dealloc %c32 : memref<12xcomplex<f32>>
  // CHECK-NEXT: ,192,16,
  %v3 = memref.alloc() : memref<12xvector<3xf32>>
  memref.copy %v3, %v3 : memref<12xvector<3xf32>> to memref<12xvector<3xf32>>
  memref.dealloc %v3 : memref<12xvector<3xf32>>
  // CHECK-NEXT: ,384,32,
  %v8 = memref.alloc() : memref<12xvector<8xf32>>
  memref.copy %v8, %v8 : memref<12xvector<8xf32>> to memref<12xvector<8xf32>>
  memref.dealloc %v8 : memref<12xvector<8xf32>>
  // CHECK-NEXT: ,12,1,
  %v8i1 = memref.alloc() : memref<12xvector<8xi1>>
  memref.copy %v8i1, %v8i1 : memref<12xvector<8xi1>> to memref<12xvector<8xi1>>
  memref.dealloc %v8i1 : memref<12xvector<8xi1>>
  // CHECK-NEXT: ,384,16,
  %v23 = memref.alloc() : memref<12xvector<2x3xi32>>
  memref.copy %v23, %v23 : memref<12xvector<2x3xi32>> to memref<12xvector<2x3xi32>>
  memref.dealloc %v23 : memref<12xvector<2x3xi32>>
  // CHECK-NEXT: ,480,8,
  %m = memref.alloc() : memref<12xmemref<4xf32>>
  memref.copy %m, %m : memref<12xmemref<4xf32>> to memref<12xmemref<4xf32>>
  memref.dealloc %m : memref<12xmemref<4xf32>>
  // CHECK-NEXT: ,192,8,
  %u = memref.alloc() : memref<12xmemref<*xf32>>
  memref.copy %u, %u : memref<12xmemref<*xf32>> to memref<12xmemref<*xf32>>
  memref.dealloc %u : memref<12xmemref<*xf32>>
  // CHECK-NEXT: ,4,4,
  %rank0 = memref.alloc() : memref<f32>
  memref.copy %rank0, %rank0 : memref<f32> to memref<f32>
  memref.dealloc %rank0 : memref<f32>
  // CHECK-NEXT: ,0,4,
  %none = memref.alloc() : memref<3x0x5xf32>
  memref.copy %none, %none : memref<3x0x5xf32> to memref<3x0x5xf32>
  memref.dealloc %none : memref<3x0x5xf32>
  return
}
