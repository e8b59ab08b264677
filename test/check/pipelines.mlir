// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Producers load tiles that consumers use, which tell them when they are done. Where threads go different ways, no end of a load is known
// to all of them.

#ws = #gpu.address_space<workgroup>
!bytes = memref<8192xi8, #ws>
!tile = memref<64x32xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
  gpu.func @before(%map: !map, %x: f32, %n: index) workgroup(%all: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %c4096 = arith.constant 4096 : index
    %t0 = memref.view %all[%c0][] : !bytes to !tile
    %p = memref.view %all[%c0][] : !bytes to !f
    %q = memref.view %all[%c4096][] : !bytes to !f
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c2], %c127 : !bars
      nvgpu.mbarrier.init %bars[%c3], %c127 : !bars
    }
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %true) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %phase, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    } else {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
        %w = memref.load %t0[%t, %c0] : !tile
        %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }

  gpu.func @alone(%map: !map, %x: f32, %n: index) workgroup(%all: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %c4096 = arith.constant 4096 : index
    %t0 = memref.view %all[%c0][] : !bytes to !tile
    %p = memref.view %all[%c4096][] : !bytes to !f
    %q = memref.view %all[%c4096][] : !bytes to !f
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c2], %c127 : !bars
      nvgpu.mbarrier.init %bars[%c3], %c127 : !bars
    }
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %true) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %phase, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    } else {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
        %w = memref.load %t0[%t, %c0] : !tile
        %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!bytes = memref<8192xi8, #ws>
!tile = memref<64x32xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
  gpu.func @after(%map: !map, %x: f32, %n: index) workgroup(%all: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %c4096 = arith.constant 4096 : index
    // expected-note @+1 {{this is the view that it uses}}
    %t0 = memref.view %all[%c0][] : !bytes to !tile
    %p = memref.view %all[%c4096][] : !bytes to !f
    // expected-note @+1 {{this is the other view}}
    %q = memref.view %all[%c0][] : !bytes to !f
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c2], %c127 : !bars
      nvgpu.mbarrier.init %bars[%c3], %c127 : !bars
    }
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %true) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %phase, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        // expected-note @+1 {{this load may still run}}
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    } else {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
        %w = memref.load %t0[%t, %c0] : !tile
        %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    }
    gpu.barrier
    // expected-error @+1 {{uses bytes of an arena that work may still use through another view}}
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!bytes = memref<8192xi8, #ws>
!tile = memref<64x32xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
  gpu.func @unfenced(%map: !map, %x: f32, %n: index) workgroup(%all: !bytes) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %c4096 = arith.constant 4096 : index
    // expected-note @+1 {{this is the view that it uses}}
    %t0 = memref.view %all[%c0][] : !bytes to !tile
    // expected-note @+1 {{this is the other view}}
    %p = memref.view %all[%c0][] : !bytes to !f
    %q = memref.view %all[%c4096][] : !bytes to !f
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c2], %c127 : !bars
      nvgpu.mbarrier.init %bars[%c3], %c127 : !bars
    }
    // expected-note @+1 {{after this: an nvvm.fence.proxy of async.shared}}
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %true) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %phase, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        // expected-error @+1 {{threads use bytes here that others may have written through another view, which may come behind the load}}
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    } else {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
        %w = memref.load %t0[%t, %c0] : !tile
        %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}

// -----

// A workgroup has memory of its own, which loads of one before do not reach.

#ws = #gpu.address_space<workgroup>
!bytes = memref<8192xi8, #ws>
!tile = memref<64x32xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
func.func @launch(%map: !map, %x: f32, %n: index) {
  %c1 = arith.constant 1 : index
  %size = arith.constant 128 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%t, %ty, %tz) in (%sx = %size, %sy = %c1, %sz = %c1)
      workgroup(%all: !bytes) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
    %c4096 = arith.constant 4096 : index
    %t0 = memref.view %all[%c0][] : !bytes to !tile
    %p = memref.view %all[%c0][] : !bytes to !f
    %q = memref.view %all[%c4096][] : !bytes to !f
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
      nvgpu.mbarrier.init %bars[%c2], %c127 : !bars
      nvgpu.mbarrier.init %bars[%c3], %c127 : !bars
    }
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    scf.if %first {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %true) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %phase, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    } else {
      scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
        nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
        %w = memref.load %t0[%t, %c0] : !tile
        %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
        %next = arith.xori %phase, %true : i1
        scf.yield %next : i1
      }
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.terminator
  }
  return
}
