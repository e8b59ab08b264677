// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two tiles of each operand, copied while the others are multiplied; the result goes through shared memory. Thread t has row t.
// threads: 16

#ws = #gpu.address_space<workgroup>
!tile = memref<2x16x4xf32, #ws>
!c = memref<16x16xf32, #ws>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @kernel(%x: memref<16x32xf32>, %y: memref<16x32xf32>, %out: memref<16x16xf32>)
      workgroup(%a: !tile, %b: !tile, %sum: !c, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c28 = arith.constant 28 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    scf.for %j = %c0 to %c16 step %c1 {
      memref.store %zero, %sum[%t, %j] : !c
    }
    %a0 = nvgpu.device_async_copy %x[%t, %c0], %a[%c0, %t, %c0], 4 : memref<16x32xf32> to !tile
    %b0 = nvgpu.device_async_copy %y[%t, %c0], %b[%c0, %t, %c0], 4 : memref<16x32xf32> to !tile
    %g0 = nvgpu.device_async_create_group %a0, %b0
    %last = scf.for %k = %c0 to %c28 step %c4 iter_args(%g = %g0) -> !token {
      %turn = arith.divui %k, %c4 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %after = arith.addi %k, %c4 : index
      %a1 = nvgpu.device_async_copy %x[%t, %after], %a[%next, %t, %c0], 4 : memref<16x32xf32> to !tile
      %b1 = nvgpu.device_async_copy %y[%t, %after], %b[%next, %t, %c0], 4 : memref<16x32xf32> to !tile
      %g1 = nvgpu.device_async_create_group %a1, %b1
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      scf.for %j = %c0 to %c16 step %c1 {
        %s = memref.load %sum[%t, %j] : !c
        %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %s) -> f32 {
          %p = memref.load %a[%now, %t, %i] : !tile
          %q = memref.load %b[%now, %j, %i] : !tile
          %m = arith.mulf %p, %q : f32
          %w = arith.addf %v, %m : f32
          scf.yield %w : f32
        }
        memref.store %r, %sum[%t, %j] : !c
      }
      gpu.barrier
      scf.yield %g1 : !token
    }
    nvgpu.device_async_wait %last {numGroups = 0 : i32}
    gpu.barrier
    %u = arith.subi %c16, %c1 : index
    %back = arith.subi %u, %t : index
    %e = memref.load %a[%c1, %back, %c0] : !tile
    gpu.barrier
    scf.for %j = %c0 to %c16 step %c1 {
      %s = memref.load %sum[%j, %t] : !c
      %v = arith.addf %s, %e : f32
      memref.store %v, %c[%j, %t] : !c
    }
    gpu.barrier
    scf.for %j = %c0 to %c16 step %c1 {
      %v = memref.load %c[%t, %j] : !c
      memref.store %v, %out[%j, %t] : memref<16x16xf32>
    }
    gpu.return
  }
}
