// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=767 -verify-diagnostics -o /dev/null
// RUN: not stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=767 2>/dev/null | count 0
// RUN: stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=768 | FileCheck %s
// RUN: not stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=767 --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s --check-prefix=BACK

// More bytes than the device has are an error that lists what is live at the peak and what is left
// alone. Nothing is rewritten then, here or elsewhere.

// CHECK: gpu.func @kernel
// CHECK-SAME: memref<512xi8, #gpu.address_space<workgroup>>
// BACK: func.func @host
// BACK-NOT: memref.view
!f = memref<64xf32, #gpu.address_space<workgroup>>
!g = memref<128xf32, #gpu.address_space<workgroup>>
func.func @host(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  memref.store %x, %a[%c0] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %x, %b[%c0] : memref<64xf32>
  return
}
gpu.module @m {
  // expected-error @below {{the kernel needs 768 bytes of workgroup memory, but workgroup-capacity-in-bytes is 767; nothing was rewritten}}
  gpu.func @kernel(%x: f32) workgroup(
      %a: !f,
      // expected-note @below {{live at the peak: 512 bytes}}
      %b: !g,
      // expected-note @below {{left alone: 256 bytes; no other planned buffer can share bytes with it}}
      %c: !f) kernel {
    %t = gpu.thread_id x
    memref.store %x, %c[%t] : !f
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !g
    %v = memref.load %c[%t] : !f
    gpu.return
  }
}
