// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Two views of the same bytes: a tile that is loaded, and what is written behind it. The wait must surely be for the load's phase.

// Loaded, waited for, read, and then written.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @loaded(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %tile = memref.view %arena[%c0][] : !arena to !tile
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.barrier
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Nothing waits.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @not_waited(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// The wait comes back at once: no phase has ended yet.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @parity(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %odd, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Another element.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @other(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c1], %even, %ticks : !bars
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// A wait on one path.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @one_path(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  %less = arith.cmpi ult, %n, %c2 : index
  scf.if %less {
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  }
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// A wait of one thread: the others do not know, though a barrier follows, which is not looked at.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @one_thread(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  scf.if %first {
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  }
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// The phase ends with fewer bytes.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @lacking(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %c2 : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Phases that take turns.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @loop(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %tile = memref.view %arena[%c0][] : !arena to !tile
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  %p = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    %next = arith.xori %phase, %odd : i1
    scf.yield %next : i1
  }
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// From the second iteration on, waits are told the parity of the phase before.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @no_turn(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  %p = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      // expected-note@below {{this load may still run}}
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    scf.yield %phase : i1
  }
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// One iteration ahead.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @ahead(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %tile = memref.view %arena[%c0][] : !arena to !tile
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  %p = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %even) -> i1 {
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    %next = arith.xori %phase, %odd : i1
    scf.yield %next : i1
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %p, %ticks : !bars
  %w2 = memref.load %tile[%t, %c0] : !tile
  gpu.barrier
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// More phases than waits.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @left_over(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  %p = scf.for %i = %c0 to %n step %c1 iter_args(%phase = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      // expected-note@below {{this load may still run}}
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    scf.yield %phase : i1
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Threads wait for different numbers of phases.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @apart(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  %p = scf.for %i = %c0 to %t step %c1 iter_args(%phase = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      // expected-note@below {{this load may still run}}
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
    %next = arith.xori %phase, %odd : i1
    scf.yield %next : i1
  }
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// A phase of two arrivals, of which one may come from elsewhere.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @arrivals(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c2 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Threads may wait before the mbarrier is made.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @not_told(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-note@below {{this load may still run}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  gpu.barrier
  // expected-error@below {{uses bytes of an arena that work may still use through another view}}
  memref.store %x, %f[%t] : !f
  gpu.return
}
}

// -----

// Written, and then loaded to: a fence of each thread and a barrier come in between.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @fenced(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %tile = memref.view %arena[%c0][] : !arena to !tile
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  memref.store %x, %f[%t] : !f
  gpu.barrier
  %v = memref.load %f[%c0] : !f
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}

// -----

// No fence.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @not_fenced(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  // expected-note@below {{an nvvm.fence.proxy of async.shared, and a gpu.barrier behind it, are missing}}
  memref.store %x, %f[%t] : !f
  gpu.barrier
  %v = memref.load %f[%c0] : !f
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-error@below {{others may have written through another view, which may come behind the load}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}

// -----

// A fence, but no barrier behind it: others may not have passed theirs.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @fenced_late(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  // expected-note@below {{an nvvm.fence.proxy of async.shared, and a gpu.barrier behind it, are missing}}
  memref.store %x, %f[%t] : !f
  gpu.barrier
  %v = memref.load %f[%c0] : !f
  gpu.barrier
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-error@below {{others may have written through another view, which may come behind the load}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}

// -----

// A fence of one thread.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @fenced_by_one(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  // expected-note@below {{an nvvm.fence.proxy of async.shared, and a gpu.barrier behind it, are missing}}
  memref.store %x, %f[%t] : !f
  gpu.barrier
  %v = memref.load %f[%c0] : !f
  scf.if %first {
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-error@below {{others may have written through another view, which may come behind the load}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}

// -----

// A fence for other memory.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @other_fence(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note@below {{this is the view that it uses}}
  %tile = memref.view %arena[%c0][] : !arena to !tile
  // expected-note@below {{this is the other view}}
  %f = memref.view %arena[%c0][] : !arena to !f
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  // expected-note@below {{an nvvm.fence.proxy of async.shared, and a gpu.barrier behind it, are missing}}
  memref.store %x, %f[%t] : !f
  gpu.barrier
  %v = memref.load %f[%c0] : !f
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    // expected-error@below {{others may have written through another view, which may come behind the load}}
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}

// -----

// Behind a launch, another one has memory of its own.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
func.func @launched(%map: !map, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1)
             workgroup(%arena : !arena) {
    %first = arith.cmpi eq, %t, %c0 : index
    %tile = memref.view %arena[%c0][] : !arena to !tile
    %f = memref.view %arena[%c0][] : !arena to !f
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.terminator
  }
  return
}

// -----

// The first wait is not for the second load, which comes behind the fence.
#ws = #gpu.address_space<workgroup>
!arena = memref<4096xi8, #ws>
!tile = memref<32x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
gpu.func @later(%map: !map, %x: f32, %n: index) workgroup(%arena: !arena, %one: !tile) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bytes = arith.constant 4096 : index
  %ticks = arith.constant 10000000 : index
  %even = arith.constant false
  %odd = arith.constant true
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  %f = memref.view %arena[%c0][] : !arena to !f
  %tile = memref.view %arena[%c0][] : !arena to !tile
  %bars = nvgpu.mbarrier.create -> !bars
  scf.if %first {
    nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    nvgpu.mbarrier.init %bars[%c1], %c1 : !bars
  }
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %one : !map, !bars -> !tile
  }
  memref.store %x, %f[%t] : !f
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
  nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  gpu.barrier
  scf.if %first {
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
  }
  nvgpu.mbarrier.try_wait.parity %bars[%c0], %odd, %ticks : !bars
  %w = memref.load %tile[%t, %c0] : !tile
  gpu.return
}
}
