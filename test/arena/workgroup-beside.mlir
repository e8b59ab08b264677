// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=occupancy-memory-in-bytes=4096 --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s
// RUN: not stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=600 -o /dev/null 2>&1 | FileCheck %s --check-prefix=MUCH
// RUN: stowage-opt %s --merge-alloc=workgroup-capacity-in-bytes=1KiB | FileCheck %s --check-prefix=FITS

// What a kernel has of static workgroup memory beside its attributions counts, also in what it calls.

// CHECK: occupancy | {{.*}}Function=k | Remark="a workgroup takes 632 bytes of 4096, before 760; workgroups at a time: 6, before 5
// CHECK: occupancy | {{.*}}Function=without | Remark="a workgroup takes 256 bytes of 4096, before 384;

// MUCH: [[@LINE+30]]:3: error: the kernel needs 632 bytes of workgroup memory, but workgroup-capacity-in-bytes is 600; nothing was rewritten
// MUCH: note: live at the peak: 256 bytes
// MUCH: note: beside these: 128 bytes
// MUCH: note: beside these: 24 bytes
// MUCH: note: beside these: 128 bytes
// MUCH: note: beside these: 96 bytes
// MUCH-NOT: note
// FITS: gpu.func @k

#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>
!h = memref<64xf16, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 3>
gpu.module @m {
  memref.global "private" @shared : memref<32xf32, #ws> = uninitialized
  memref.global "private" @unused : memref<999xf32, #ws> = uninitialized
  memref.global "private" constant @table : memref<2xf32> = dense<1.0>
  func.func @helper(%x: f32, %i: index) {
    %g = memref.get_global @shared : memref<32xf32, #ws>
    memref.store %x, %g[%i] : memref<32xf32, #ws>
    func.call @helper(%x, %i) : (f32, index) -> ()
    func.call @deeper(%x, %i) : (f32, index) -> ()
    gpu.barrier
    return
  }
  func.func @deeper(%x: f32, %i: index) {
    %b = memref.alloc() : memref<24xf32, #ws>
    memref.store %x, %b[%i] : memref<24xf32, #ws>
    return
  }
  gpu.func @k(%x: f32, %y: f16) workgroup(%a: !f, %b: !h) kernel {
    %t = gpu.thread_id x
    %g = memref.get_global @shared : memref<32xf32, #ws>
    %u = memref.get_global @table : memref<2xf32>
    %bars = nvgpu.mbarrier.create -> !bars
    memref.store %x, %g[%t] : memref<32xf32, #ws>
    %sum = gpu.all_reduce add %x uniform {} : (f32) -> (f32)
    memref.store %sum, %a[%t] : !f
    gpu.barrier
    memref.store %y, %b[%t] : !h
    gpu.barrier
    func.call @helper(%x, %t) : (f32, index) -> ()
    gpu.return
  }
  gpu.func @without(%x: f32, %y: f16) workgroup(%a: !f, %b: !h) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %y, %b[%t] : !h
    gpu.return
  }
}
