// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution as a sum over taps: rows of the image with their halo stay, weights of the next tap
// are copied while those of this one are used. Sums go through shared memory.
// by hand: 50304, the image's tile and two of weights; sums lie in the image's tile
// threads: 64

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
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c40 = arith.constant 40 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c66 = arith.constant 66 : index
    %c396 = arith.constant 396 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %row0 = arith.divui %t, %c8 : index
    %eighth = arith.remui %t, %c8 : index
    %j = arith.muli %eighth, %c8 : index
    %row8 = arith.addi %row0, %c8 : index
    %row16 = arith.addi %row0, %c16 : index
    %row24 = arith.addi %row0, %c24 : index
    %row32 = arith.addi %row0, %c32 : index
    %row40 = arith.addi %row0, %c40 : index
    %w0_0 = nvgpu.device_async_copy %w[%c0, %row0, %j], %u[%row0, %j], 8 : memref<9x48x64xf16> to !w
    %w0_8 = nvgpu.device_async_copy %w[%c0, %row8, %j], %u[%row8, %j], 8 : memref<9x48x64xf16> to !w
    %w0_16 = nvgpu.device_async_copy %w[%c0, %row16, %j], %u[%row16, %j], 8 : memref<9x48x64xf16> to !w
    %w0_24 = nvgpu.device_async_copy %w[%c0, %row24, %j], %u[%row24, %j], 8 : memref<9x48x64xf16> to !w
    %w0_32 = nvgpu.device_async_copy %w[%c0, %row32, %j], %u[%row32, %j], 8 : memref<9x48x64xf16> to !w
    %w0_40 = nvgpu.device_async_copy %w[%c0, %row40, %j], %u[%row40, %j], 8 : memref<9x48x64xf16> to !w
    %g0 = nvgpu.device_async_create_group %w0_0, %w0_8, %w0_16, %w0_24, %w0_32, %w0_40
    scf.for %e = %t to %c396 step %c64 {
      %y = arith.divui %e, %c66 : index
      %z = arith.remui %e, %c66 : index
      scf.for %i = %c0 to %c48 step %c1 {
        %p = memref.load %x[%y, %z, %i] : memref<6x66x48xf16>
        memref.store %p, %image[%y, %z, %i] : !image
      }
    }
    %r:4 = scf.for %tap = %c0 to %c8 step %c1 iter_args(%acc = %zero, %g = %g0, %now = %u, %next = %v)
        -> (f32, !token, !w, !w) {
      %tap1 = arith.addi %tap, %c1 : index
      %w1_0 = nvgpu.device_async_copy %w[%tap1, %row0, %j], %next[%row0, %j], 8 : memref<9x48x64xf16> to !w
      %w1_8 = nvgpu.device_async_copy %w[%tap1, %row8, %j], %next[%row8, %j], 8 : memref<9x48x64xf16> to !w
      %w1_16 = nvgpu.device_async_copy %w[%tap1, %row16, %j], %next[%row16, %j], 8 : memref<9x48x64xf16> to !w
      %w1_24 = nvgpu.device_async_copy %w[%tap1, %row24, %j], %next[%row24, %j], 8 : memref<9x48x64xf16> to !w
      %w1_32 = nvgpu.device_async_copy %w[%tap1, %row32, %j], %next[%row32, %j], 8 : memref<9x48x64xf16> to !w
      %w1_40 = nvgpu.device_async_copy %w[%tap1, %row40, %j], %next[%row40, %j], 8 : memref<9x48x64xf16> to !w
      %g1 = nvgpu.device_async_create_group %w1_0, %w1_8, %w1_16, %w1_24, %w1_32, %w1_40
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
    scf.for %i = %c0 to %c64 step %c1 {
      memref.store %r#0, %sum[%t, %i] : !sum
    }
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %p = memref.load %sum[%i, %t] : !sum
      memref.store %p, %out[%i, %t] : memref<64x64xf32>
    }
    gpu.return
  }
}
