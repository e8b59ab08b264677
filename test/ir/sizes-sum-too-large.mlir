// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=pool-all --idle-notes=false -o %t 2>&1 | count 0
// RUN: FileCheck %s < %t

// Each buffer fits an address, their sum does not: no wrapped arena, no crash.

// CHECK-LABEL: func @sum
func.func @sum(%x: i8) {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: memref<0xi8>
  %a = memref.alloc() : memref<2305843009213693951xi8>
  %b = memref.alloc() : memref<2305843009213693951xi8>
  %c = memref.alloc() : memref<2305843009213693951xi8>
  %d = memref.alloc() : memref<2305843009213693951xi8>
  %e = memref.alloc() : memref<2305843009213693951xi8>
  memref.store %x, %a[%c0] : memref<2305843009213693951xi8>
  memref.store %x, %b[%c0] : memref<2305843009213693951xi8>
  memref.store %x, %c[%c0] : memref<2305843009213693951xi8>
  memref.store %x, %d[%c0] : memref<2305843009213693951xi8>
  memref.store %x, %e[%c0] : memref<2305843009213693951xi8>
  %v = memref.load %a[%c0] : memref<2305843009213693951xi8>
  memref.dealloc %a : memref<2305843009213693951xi8>
  memref.dealloc %b : memref<2305843009213693951xi8>
  memref.dealloc %c : memref<2305843009213693951xi8>
  memref.dealloc %d : memref<2305843009213693951xi8>
  memref.dealloc %e : memref<2305843009213693951xi8>
  // CHECK: return
  return
}
