// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of a tile of queries over all keys and values, in one pass: scores, a running softmax,
// products with values. Keys and values are copied one turn ahead.
// by hand: 57344, queries, two tiles of keys and of values, and scores, over which their exponentials are written; the result lies in the tiles of keys
// threads: 64

!q = memref<64x64xf16, #gpu.address_space<workgroup>>
!kv = memref<2x64x64xf16, #gpu.address_space<workgroup>>
!s = memref<64x64xf32, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token

gpu.module @m {
  gpu.func @attention(%xq: memref<64x64xf16>, %xk: memref<1024x64xf16>, %xv: memref<1024x64xf16>, %out: memref<64x64xf32>)
      workgroup(%q: !q, %k: !kv, %v: !kv, %s: !s, %p: !q, %o: !s) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %c40 = arith.constant 40 : index
    %c48 = arith.constant 48 : index
    %c56 = arith.constant 56 : index
    %c64 = arith.constant 64 : index
    %c960 = arith.constant 960 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -1.0e30 : f32
    %t = gpu.thread_id x
    %k0_0 = nvgpu.device_async_copy %xk[%t, %c0], %k[%c0, %t, %c0], 8 : memref<1024x64xf16> to !kv
    %k0_8 = nvgpu.device_async_copy %xk[%t, %c8], %k[%c0, %t, %c8], 8 : memref<1024x64xf16> to !kv
    %k0_16 = nvgpu.device_async_copy %xk[%t, %c16], %k[%c0, %t, %c16], 8 : memref<1024x64xf16> to !kv
    %k0_24 = nvgpu.device_async_copy %xk[%t, %c24], %k[%c0, %t, %c24], 8 : memref<1024x64xf16> to !kv
    %k0_32 = nvgpu.device_async_copy %xk[%t, %c32], %k[%c0, %t, %c32], 8 : memref<1024x64xf16> to !kv
    %k0_40 = nvgpu.device_async_copy %xk[%t, %c40], %k[%c0, %t, %c40], 8 : memref<1024x64xf16> to !kv
    %k0_48 = nvgpu.device_async_copy %xk[%t, %c48], %k[%c0, %t, %c48], 8 : memref<1024x64xf16> to !kv
    %k0_56 = nvgpu.device_async_copy %xk[%t, %c56], %k[%c0, %t, %c56], 8 : memref<1024x64xf16> to !kv
    %v0_0 = nvgpu.device_async_copy %xv[%t, %c0], %v[%c0, %t, %c0], 8 : memref<1024x64xf16> to !kv
    %v0_8 = nvgpu.device_async_copy %xv[%t, %c8], %v[%c0, %t, %c8], 8 : memref<1024x64xf16> to !kv
    %v0_16 = nvgpu.device_async_copy %xv[%t, %c16], %v[%c0, %t, %c16], 8 : memref<1024x64xf16> to !kv
    %v0_24 = nvgpu.device_async_copy %xv[%t, %c24], %v[%c0, %t, %c24], 8 : memref<1024x64xf16> to !kv
    %v0_32 = nvgpu.device_async_copy %xv[%t, %c32], %v[%c0, %t, %c32], 8 : memref<1024x64xf16> to !kv
    %v0_40 = nvgpu.device_async_copy %xv[%t, %c40], %v[%c0, %t, %c40], 8 : memref<1024x64xf16> to !kv
    %v0_48 = nvgpu.device_async_copy %xv[%t, %c48], %v[%c0, %t, %c48], 8 : memref<1024x64xf16> to !kv
    %v0_56 = nvgpu.device_async_copy %xv[%t, %c56], %v[%c0, %t, %c56], 8 : memref<1024x64xf16> to !kv
    %g0 = nvgpu.device_async_create_group %k0_0, %k0_8, %k0_16, %k0_24, %k0_32, %k0_40, %k0_48, %k0_56, %v0_0, %v0_8, %v0_16, %v0_24, %v0_32, %v0_40, %v0_48, %v0_56
    scf.for %j = %c0 to %c64 step %c1 {
      %e = memref.load %xq[%t, %j] : memref<64x64xf16>
      memref.store %e, %q[%t, %j] : !q
    }
    %r:4 = scf.for %n = %c0 to %c960 step %c64
        iter_args(%g = %g0, %most = %low, %total = %zero, %acc = %zero) -> (!token, f32, f32, f32) {
      %turn = arith.divui %n, %c64 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %n1 = arith.addi %n, %c64 : index
      %row = arith.addi %n1, %t : index
      %k1_0 = nvgpu.device_async_copy %xk[%row, %c0], %k[%next, %t, %c0], 8 : memref<1024x64xf16> to !kv
      %k1_8 = nvgpu.device_async_copy %xk[%row, %c8], %k[%next, %t, %c8], 8 : memref<1024x64xf16> to !kv
      %k1_16 = nvgpu.device_async_copy %xk[%row, %c16], %k[%next, %t, %c16], 8 : memref<1024x64xf16> to !kv
      %k1_24 = nvgpu.device_async_copy %xk[%row, %c24], %k[%next, %t, %c24], 8 : memref<1024x64xf16> to !kv
      %k1_32 = nvgpu.device_async_copy %xk[%row, %c32], %k[%next, %t, %c32], 8 : memref<1024x64xf16> to !kv
      %k1_40 = nvgpu.device_async_copy %xk[%row, %c40], %k[%next, %t, %c40], 8 : memref<1024x64xf16> to !kv
      %k1_48 = nvgpu.device_async_copy %xk[%row, %c48], %k[%next, %t, %c48], 8 : memref<1024x64xf16> to !kv
      %k1_56 = nvgpu.device_async_copy %xk[%row, %c56], %k[%next, %t, %c56], 8 : memref<1024x64xf16> to !kv
      %v1_0 = nvgpu.device_async_copy %xv[%row, %c0], %v[%next, %t, %c0], 8 : memref<1024x64xf16> to !kv
      %v1_8 = nvgpu.device_async_copy %xv[%row, %c8], %v[%next, %t, %c8], 8 : memref<1024x64xf16> to !kv
      %v1_16 = nvgpu.device_async_copy %xv[%row, %c16], %v[%next, %t, %c16], 8 : memref<1024x64xf16> to !kv
      %v1_24 = nvgpu.device_async_copy %xv[%row, %c24], %v[%next, %t, %c24], 8 : memref<1024x64xf16> to !kv
      %v1_32 = nvgpu.device_async_copy %xv[%row, %c32], %v[%next, %t, %c32], 8 : memref<1024x64xf16> to !kv
      %v1_40 = nvgpu.device_async_copy %xv[%row, %c40], %v[%next, %t, %c40], 8 : memref<1024x64xf16> to !kv
      %v1_48 = nvgpu.device_async_copy %xv[%row, %c48], %v[%next, %t, %c48], 8 : memref<1024x64xf16> to !kv
      %v1_56 = nvgpu.device_async_copy %xv[%row, %c56], %v[%next, %t, %c56], 8 : memref<1024x64xf16> to !kv
      %g1 = nvgpu.device_async_create_group %k1_0, %k1_8, %k1_16, %k1_24, %k1_32, %k1_40, %k1_48, %k1_56, %v1_0, %v1_8, %v1_16, %v1_24, %v1_32, %v1_40, %v1_48, %v1_56
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      scf.for %j = %c0 to %c64 step %c1 {
        %dot = scf.for %d = %c0 to %c64 step %c1 iter_args(%sum = %zero) -> f32 {
          %x = memref.load %q[%t, %d] : !q
          %y = memref.load %k[%now, %j, %d] : !kv
          %m = arith.mulf %x, %y : f16
          %w = arith.extf %m : f16 to f32
          %z = arith.addf %sum, %w : f32
          scf.yield %z : f32
        }
        memref.store %dot, %s[%j, %t] : !s
      }
      gpu.barrier
      %top = scf.for %j = %c0 to %c64 step %c1 iter_args(%m = %most) -> f32 {
        %x = memref.load %s[%t, %j] : !s
        %y = arith.maximumf %x, %m : f32
        scf.yield %y : f32
      }
      %mine = memref.load %s[%t, %t] : !s
      %less = arith.subf %mine, %top : f32
      %small = arith.truncf %less : f32 to f16
      gpu.barrier
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %small, %p[%j, %t] : !q
      }
      gpu.barrier
      %sum = scf.for %j = %c0 to %c64 step %c1 iter_args(%a = %acc) -> f32 {
        %x = memref.load %p[%t, %j] : !q
        %y = memref.load %v[%now, %j, %t] : !kv
        %m = arith.mulf %x, %y : f16
        %w = arith.extf %m : f16 to f32
        %z = arith.addf %a, %w : f32
        scf.yield %z : f32
      }
      gpu.barrier
      scf.yield %g1, %top, %total, %sum : !token, f32, f32, f32
    }
    nvgpu.device_async_wait %r#0 {numGroups = 0 : i32}
    gpu.barrier
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %r#3, %o[%t, %j] : !s
    }
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %o[%i, %t] : !s
      memref.store %x, %out[%i, %t] : memref<64x64xf32>
    }
    gpu.return
  }
}
