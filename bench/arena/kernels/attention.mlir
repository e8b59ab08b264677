// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of a tile of queries over all keys and values, in one pass: scores, a running softmax,
// products with values. Keys and values are copied one turn ahead.
// by hand: 57344, queries, two tiles of keys and of values, and scores, over which their exponentials are written; the result lies in the tiles of keys

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
    %c64 = arith.constant 64 : index
    %c960 = arith.constant 960 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant -1.0e30 : f32
    %t = gpu.thread_id x
    %q0 = nvgpu.device_async_copy %xq[%t, %c0], %q[%t, %c0], 8 : memref<64x64xf16> to !q
    %k0 = nvgpu.device_async_copy %xk[%t, %c0], %k[%c0, %t, %c0], 8 : memref<1024x64xf16> to !kv
    %v0 = nvgpu.device_async_copy %xv[%t, %c0], %v[%c0, %t, %c0], 8 : memref<1024x64xf16> to !kv
    %g0 = nvgpu.device_async_create_group %q0, %k0, %v0
    %r:4 = scf.for %n = %c0 to %c960 step %c64
        iter_args(%g = %g0, %most = %low, %total = %zero, %acc = %zero) -> (!token, f32, f32, f32) {
      %turn = arith.divui %n, %c64 : index
      %now = arith.remui %turn, %c2 : index
      %next = arith.subi %c1, %now : index
      %n1 = arith.addi %n, %c64 : index
      %row = arith.addi %n1, %t : index
      %k1 = nvgpu.device_async_copy %xk[%row, %c0], %k[%next, %t, %c0], 8 : memref<1024x64xf16> to !kv
      %v1 = nvgpu.device_async_copy %xv[%row, %c0], %v[%next, %t, %c0], 8 : memref<1024x64xf16> to !kv
      %g1 = nvgpu.device_async_create_group %k1, %v1
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
      memref.store %small, %p[%t, %t] : !q
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
    memref.store %r#3, %o[%t, %t] : !s
    gpu.barrier
    scf.for %i = %c0 to %c64 step %c1 {
      %x = memref.load %o[%i, %t] : !s
      memref.store %x, %out[%i, %t] : memref<64x64xf32>
    }
    gpu.return
  }
}
