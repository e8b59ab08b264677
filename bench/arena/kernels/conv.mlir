// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution as a sum over taps: rows of the image with their halo stay, weights of the next tap
// are copied while those of this one are used. Sums go through shared memory.
// by hand: 50304, the image's tile and two of weights; sums lie in the image's tile

!image = memref<6x66x48xf16, #gpu.address_space<workgroup>>
!w = memref<48x64xf16, #gpu.address_space<workgroup>>
!sum = memref<64x64xf32, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @conv(%x: memref<6x66x48xf16>, %w: memref<9x48x64xf16>, %out: memref<64x64xf32>)
      workgroup(%image: !image, %u: !w, %v: !w, %sum: !sum) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %x0 = nvgpu.device_async_copy %x[%c0, %t, %c0], %image[%c0, %t, %c0], 8 : memref<6x66x48xf16> to !image
    %w0 = nvgpu.device_async_copy %w[%c0, %c0, %t], %u[%c0, %t], 8 : memref<9x48x64xf16> to !w
    %g0 = nvgpu.device_async_create_group %x0, %w0
    %r:4 = scf.for %tap = %c0 to %c8 step %c1 iter_args(%acc = %zero, %g = %g0, %now = %u, %next = %v)
        -> (f32, !token, !w, !w) {
      %tap1 = arith.addi %tap, %c1 : index
      %w1 = nvgpu.device_async_copy %w[%tap1, %c0, %t], %next[%c0, %t], 8 : memref<9x48x64xf16> to !w
      %g1 = nvgpu.device_async_create_group %w1
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %dy = arith.divui %tap, %c3 : index
      %dx = arith.remui %tap, %c3 : index
      %at = arith.addi %t, %dx : index
      %part = scf.for %i = %c0 to %c48 step %c1 iter_args(%s = %acc) -> f32 {
        %p = memref.load %image[%dy, %at, %i] : !image
        %q = memref.load %now[%i, %t] : !w
        %m = arith.mulf %p, %q : f16
        %e = arith.extf %m : f16 to f32
        %z = arith.addf %s, %e : f32
        scf.yield %z : f32
      }
      gpu.barrier
      scf.yield %part, %g1, %next, %now : f32, !token, !w, !w
    }
    nvgpu.device_async_wait %r#1 {numGroups = 0 : i32}
    gpu.barrier
    memref.store %r#0, %sum[%t, %t] : !sum
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %p = memref.load %sum[%i, %t] : !sum
      memref.store %p, %out[%i, %t] : memref<64x64xf32>
    }
    gpu.return
  }
}
