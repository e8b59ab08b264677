// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of matrices whose tiles TMA loads one iteration ahead: two of each operand, which take
// turns with two mbarriers. The result is put together in shared memory behind the loop.
// by hand: 32784, the tiles of operands, in which the result's then lies, and two mbarriers

!a = memref<128x32xf16, #gpu.address_space<workgroup>>
!b = memref<32x128xf16, #gpu.address_space<workgroup>>
!c = memref<128x128xf16, #gpu.address_space<workgroup>>
!bars = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!x = !nvgpu.tensormap.descriptor<tensor = !a, swizzle = none, l2promo = none, oob = zero, interleave = none>
!y = !nvgpu.tensormap.descriptor<tensor = !b, swizzle = none, l2promo = none, oob = zero, interleave = none>

gpu.module @m {
  gpu.func @gemm(%x_map: !llvm.ptr, %y_map: !llvm.ptr, %out: memref<128x128xf16>)
      workgroup(%a0: !a, %a1: !a, %b0: !b, %b1: !b, %c: !c) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %bytes = arith.constant 16384 : index
    %ticks = arith.constant 10000000 : index
    %zero = arith.constant 0.0 : f16
    %false = arith.constant false
    %true = arith.constant true
    %x = builtin.unrealized_conversion_cast %x_map : !llvm.ptr to !x
    %y = builtin.unrealized_conversion_cast %y_map : !llvm.ptr to !y
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %x[%c0, %c0], %bars[%c0] to %a0 : !x, !bars -> !a
      nvgpu.tma.async.load %y[%c0, %c0], %bars[%c0] to %b0 : !y, !bars -> !b
    }
    %r:2 = scf.for %k = %c0 to %c1024 step %c64 iter_args(%sum = %zero, %phase = %false) -> (f16, i1) {
      %k1 = arith.addi %k, %c32 : index
      %k2 = arith.addi %k, %c64 : index
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%c1], %bytes : !bars
        nvgpu.tma.async.load %x[%k1, %c0], %bars[%c1] to %a1 : !x, !bars -> !a
        nvgpu.tma.async.load %y[%c0, %k1], %bars[%c1] to %b1 : !y, !bars -> !b
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
      %even = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %sum) -> f16 {
        %v = memref.load %a0[%t, %i] : !a
        %w = memref.load %b0[%i, %t] : !b
        %m = math.fma %v, %w, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %x[%k2, %c0], %bars[%c0] to %a0 : !x, !bars -> !a
        nvgpu.tma.async.load %y[%c0, %k2], %bars[%c0] to %b0 : !y, !bars -> !b
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c1], %phase, %ticks : !bars
      %odd = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %even) -> f16 {
        %v = memref.load %a1[%t, %i] : !a
        %w = memref.load %b1[%i, %t] : !b
        %m = math.fma %v, %w, %s : f16
        scf.yield %m : f16
      }
      gpu.barrier
      %next = arith.xori %phase, %true : i1
      scf.yield %odd, %next : f16, i1
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %r#1, %ticks : !bars
    %last = scf.for %i = %c0 to %c32 step %c1 iter_args(%s = %r#0) -> f16 {
      %v = memref.load %a0[%t, %i] : !a
      %w = memref.load %b0[%i, %t] : !b
      %m = math.fma %v, %w, %s : f16
      scf.yield %m : f16
    }
    gpu.barrier
    memref.store %last, %c[%t, %t] : !c
    gpu.barrier
    scf.for %i = %c0 to %c128 step %c1 {
      %v = memref.load %c[%i, %t] : !c
      memref.store %v, %out[%i, %t] : memref<128x128xf16>
    }
    gpu.return
  }
}
