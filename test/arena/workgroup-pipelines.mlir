// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan --remarks-filter=merge-alloc 2>&1 | FileCheck %s

// Work of TMA whose end is not known goes on as long as the kernel does: a tile shares bytes with what is used before it begins, behind a
// fence and a barrier, and with nothing that is used afterwards.

// CHECK: [Passed] workgroup {{.*}}Function=pipe | Remark="3 workgroup buffers of 12288 bytes put into 8192 bytes"
// CHECK: [Passed] workgroup {{.*}}Function=no_fence | Remark="2 workgroup buffers of 8192 bytes put into 4096 bytes"
// CHECK: asynchronous {{.*}}Function=no_fence | {{.*}}'nvgpu.tma.async.load' starts work that may still use it later{{.*}} Suggestion="begin it behind an nvvm.fence.proxy of async.shared and a gpu.barrier that all threads pass, without a multicast mask, to share bytes with what is used before;
// CHECK: asynchronous {{.*}}Function=no_barrier
// CHECK: asynchronous {{.*}}Function=multicast
// CHECK: [Passed] workgroup {{.*}}Function=stages | Remark="3 workgroup buffers of 12288 bytes put into 8192 bytes"
// CHECK: [Passed] workgroup {{.*}}Function=arrivals | Remark="3 workgroup buffers of 12288 bytes put into 4096 bytes"
// CHECK: asynchronous {{.*}}Function=store | {{.*}}Suggestion="have it be used
// CHECK: [Passed] workgroup {{.*}}Function=stored | Remark="3 workgroup buffers of 12288 bytes put into 8192 bytes"

#ws = #gpu.address_space<workgroup>
!tile = memref<64x32xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 4>
!tok = !nvgpu.mbarrier.token
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
  // Producers and consumers take turns. %p is used before, %q is not.
  gpu.func @pipe(%map: !map, %x: f32, %n: index) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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

  // What threads have written may come behind the load.
  gpu.func @no_fence(%map: !map, %x: f32, %n: index) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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

  // Nor do others know of the fence.
  gpu.func @no_barrier(%map: !map, %x: f32, %n: index) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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

  // Another workgroup loads to this one, which may not be so far yet.
  gpu.func @multicast(%map: !map, %x: f32, %n: index, %mask: i16) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 multicast_mask = %mask : !map, !bars -> !tile
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

  // An index that is known at run time only.
  gpu.func @stages(%map: !map, %x: f32, %n: index) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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
    scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
      %stage = arith.remui %k, %c2 : index
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%stage], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %k], %bars[%stage] to %t0 : !map, !bars -> !tile
      }
      nvgpu.mbarrier.try_wait.parity %bars[%stage], %phase, %ticks : !bars
      %w = memref.load %t0[%t, %c0] : !tile
      gpu.barrier
      %odd = arith.cmpi eq, %stage, %c1 : index
      %other = arith.xori %phase, %true : i1
      %next = arith.select %odd, %other, %phase : i1
      scf.yield %next : i1
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }

  // Threads arrive at a neighbour of the mbarrier, all of whose waits are known: %q shares the tile, too.
  gpu.func @arrivals(%map: !map, %x: f32, %n: index) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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
    scf.for %k = %c0 to %n step %c1 iter_args(%phase = %false) -> (i1) {
      scf.if %first {
        %before = arith.xori %phase, %true : i1
        nvgpu.mbarrier.try_wait.parity %bars[%c2], %before, %ticks : !bars
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %k], %bars[%c0] to %t0 : !map, !bars -> !tile
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
      %w = memref.load %t0[%t, %c0] : !tile
      %done = nvgpu.mbarrier.arrive %bars[%c2] : !bars -> !tok
      %next = arith.xori %phase, %true : i1
      scf.yield %next : i1
    }
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }

  // What is stored is read as long as the kernel runs. A fence is of use in front of it only.
  gpu.func @store(%map: !map, %x: f32, %n: index, %h: f16) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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
    gpu.barrier
    memref.store %h, %t0[%t, %c0] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %t0 to %map[%c0, %c0], predicate = %first : !tile -> !map
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }

  gpu.func @stored(%map: !map, %x: f32, %n: index, %h: f16) workgroup(%t0: !tile, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c127 = arith.constant 127 : index
    %bytes = arith.constant 4096 : index
    %ticks = arith.constant 10000000 : index
    %false = arith.constant false
    %true = arith.constant true
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
    memref.store %h, %t0[%t, %c0] : !tile
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvgpu.tma.async.store %t0 to %map[%c0, %c0], predicate = %first : !tile -> !map
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}
