// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=capacity-in-bytes=128 -verify-diagnostics -o /dev/null
// RUN: not stowage-opt %s --buffer-reuse=capacity-in-bytes=128 2>/dev/null | count 0
// RUN: stowage-opt %s --buffer-reuse=capacity-in-bytes=192 | FileCheck %s --check-prefix=FITS
// RUN: not stowage-opt %s --buffer-reuse=capacity-in-bytes=191 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT

// An arena beyond the capacity is an error that lists what is live at the peak.

// TEXT: capacity.mlir:[[@LINE+7]]:1: error: {{.*}}192{{.*}}191

// FITS-LABEL: func @peak
// FITS: memref.alloc() {{.*}} : memref<192xi8>
// FITS-LABEL: func @fits

// expected-error @below {{capacity}}
func.func @peak(%x: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{64 bytes}}
  %a = memref.alloc() : memref<16xf32>
  // expected-note @below {{128 bytes}}
  %b = memref.alloc() : memref<32xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.store %x, %b[%c0] : memref<32xf32>
  %v = memref.load %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<32xf32>
  %d = memref.alloc() : memref<16xf32>
  memref.store %x, %d[%c0] : memref<16xf32>
  memref.dealloc %d : memref<16xf32>
  %e = memref.alloc() : memref<32xf32>
  memref.store %x, %e[%c0] : memref<32xf32>
  memref.dealloc %e : memref<32xf32>
  return
}

// This one would fit, but nothing is written when one does not.

func.func @fits(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}
