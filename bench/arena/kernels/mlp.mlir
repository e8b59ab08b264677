// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers of a perceptron: the values between them stay in shared memory. Each layer copies its
// weights one turn ahead.
// by hand: 40960, inputs and two tiles of weights; all that comes later lies in the inputs

!in = memref<64x256xf16, #gpu.address_space<workgroup>>
!w = memref<2x32x64xf16, #gpu.address_space<workgroup>>
!mid = memref<64x64xf16, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @mlp(%x: memref<64x256xf16>, %w0: memref<256x64xf16>, %w1: memref<64x64xf16>, %out: memref<64x64xf16>)
      workgroup(%in: !in, %u: !w, %mid: !mid, %v: !w, %res: !mid) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c224 = arith.constant 224 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %x0 = nvgpu.device_async_copy %x[%t, %c0], %in[%t, %c0], 8 : memref<64x256xf16> to !in
    %u0 = nvgpu.device_async_copy %w0[%c0, %t], %u[%c0, %c0, %t], 8 : memref<256x64xf16> to !w
    %g0 = nvgpu.device_async_create_group %x0, %u0
    %r:2 = scf.for %k = %c0 to %c224 step %c32 iter_args(%sum = %zero, %g = %g0) -> (f16, !token) {
      %turn = arith.divui %k, %c32 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %k1 = arith.addi %k, %c32 : index
      %u1 = nvgpu.device_async_copy %w0[%k1, %t], %u[%next, %c0, %t], 8 : memref<256x64xf16> to !w
      %g1 = nvgpu.device_async_create_group %u1
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %at = arith.addi %k, %i : index
        %p = memref.load %in[%t, %at] : !in
        %q = memref.load %u[%now, %i, %t] : !w
        %m = math.fma %p, %q, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %g1 : f16, !token
    }
    nvgpu.device_async_wait %r#1 {numGroups = 0 : i32}
    gpu.barrier
    memref.store %r#0, %mid[%t, %t] : !mid
    %v0 = nvgpu.device_async_copy %w1[%c0, %t], %v[%c0, %c0, %t], 8 : memref<64x64xf16> to !w
    %h0 = nvgpu.device_async_create_group %v0
    %l:2 = scf.for %k = %c0 to %c32 step %c32 iter_args(%sum = %zero, %h = %h0) -> (f16, !token) {
      %v1 = nvgpu.device_async_copy %w1[%c32, %t], %v[%c1, %c0, %t], 8 : memref<64x64xf16> to !w
      %h1 = nvgpu.device_async_create_group %v1
      nvgpu.device_async_wait %h {numGroups = 1 : i32}
      gpu.barrier
      %part = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %p = memref.load %mid[%t, %i] : !mid
        %q = memref.load %v[%c0, %i, %t] : !w
        %m = math.fma %p, %q, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.yield %part, %h1 : f16, !token
    }
    nvgpu.device_async_wait %l#1 {numGroups = 0 : i32}
    gpu.barrier
    memref.store %l#0, %res[%t, %t] : !mid
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %y = memref.load %res[%i, %t] : !mid
      memref.store %y, %out[%i, %t] : memref<64x64xf16>
    }
    gpu.return
  }
}
