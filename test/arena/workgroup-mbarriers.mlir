// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --remarks-filter-missed=.* 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID

// One thread prepares an mbarrier and starts a load that it tells the end of. No thread meets others there, so the barriers of the kernel
// order its other buffers. What the load writes is where nothing was written before, and so has no partner here.

#ws = #gpu.address_space<workgroup>
!tile = memref<64x32xf16, #ws>
!f = memref<64xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>

// CHECK-LABEL: gpu.func @load
// CHECK-SAME:    memref<256xi8, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: memref.view {{.*}} to memref<64xf32
// CHECK:         nvgpu.tma.async.load {{.*}} to %[[TILE:arg[0-9]+]]
// CHECK:         memref.load %[[TILE]]
// SAID: [Missed] no-partner {{.*}}Remark="workgroup buffer of 4096 bytes left alone"
gpu.module @m {
  gpu.func @load(%map: !map, %x: f32) workgroup(%tile: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}
