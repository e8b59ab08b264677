// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s

// A tile that TMA loads is its own until a wait for the mbarrier's phase tells that it is there, and
// all have used it. What threads have written before lies elsewhere, unless a fence comes in between.

#ws = #gpu.address_space<workgroup>
!tile = memref<32x64xf16, #ws>
!half = memref<16x64xf16, #ws>
!f = memref<1024xf32, #ws>
!bars = !nvgpu.mbarrier.group<memorySpace = #ws>
!two = !nvgpu.mbarrier.group<memorySpace = #ws, num_barriers = 2>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = none, l2promo = none, oob = zero, interleave = none>
!half_map = !nvgpu.tensormap.descriptor<tensor = !half, swizzle = none, l2promo = none, oob = zero, interleave = none>
!swizzled = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>

// The buffer behind takes the place of the tile.
// CHECK-LABEL: gpu.func @load(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_load {
  gpu.func @load(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
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
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// A swizzled tile is aligned to its pattern.
// CHECK-LABEL: gpu.func @swizzled(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}) kernel
gpu.module @in_swizzled {
  gpu.func @swizzled(%map: !swizzled, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !swizzled, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// With predicates in place of a branch.
// CHECK-LABEL: gpu.func @predicated(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_predicated {
  gpu.func @predicated(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    nvgpu.mbarrier.init %bars[%c0], %c1, predicate = %first : !bars
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes, predicate = %first : !bars
    nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile, predicate = %first : !map, !bars -> !tile
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Two loads of one phase.
// CHECK-LABEL: gpu.func @two_loads(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_two_loads {
  gpu.func @two_loads(%map: !half_map, %x: f32, %n: index) workgroup(%a: !half, %b: !half, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %a : !half_map, !bars -> !half
      nvgpu.tma.async.load %map[%c0, %c1], %bars[%c0] to %b : !half_map, !bars -> !half
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %a[%c0, %c0] : !half
    %z = memref.load %b[%c0, %c0] : !half
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// The second phase is odd.
// CHECK-LABEL: gpu.func @again(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_again {
  gpu.func @again(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
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
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %odd, %ticks : !bars
    %w2 = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// The second wait is told of the first phase.
// CHECK-LABEL: gpu.func @not_again(
// CHECK-NOT:     memref.view
gpu.module @in_not_again {
  gpu.func @not_again(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
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
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w2 = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// A loop that ends with a barrier. Its phases take turns.
// CHECK-LABEL: gpu.func @loop(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_loop {
  gpu.func @loop(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// The loop tells the parity behind it.
// CHECK-LABEL: gpu.func @behind_loop(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_behind_loop {
  gpu.func @behind_loop(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %p, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Behind the loop the parity is not known.
// CHECK-LABEL: gpu.func @not_behind_loop(
// CHECK-NOT:     memref.view
gpu.module @in_not_behind_loop {
  gpu.func @not_behind_loop(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Each wait but the first is told of the phase before.
// CHECK-LABEL: gpu.func @same_parity(
// CHECK-NOT:     memref.view
gpu.module @in_same_parity {
  gpu.func @same_parity(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
      
      scf.yield %phase : i1
    }
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Two phases in each iteration.
// CHECK-LABEL: gpu.func @pairs(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_pairs {
  gpu.func @pairs(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.for %i = %c0 to %n step %c1 {
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
      %w = memref.load %tile[%t, %c0] : !tile
      gpu.barrier
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %odd, %ticks : !bars
      %w2 = memref.load %tile[%t, %c0] : !tile
      gpu.barrier
    }
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Loaded one iteration ahead.
// CHECK-LABEL: gpu.func @ahead(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_ahead {
  gpu.func @ahead(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Nothing waits for the last load.
// CHECK-LABEL: gpu.func @left_over(
// CHECK-NOT:     memref.view
gpu.module @in_left_over {
  gpu.func @left_over(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Nor for a load that some iterations start.
// CHECK-LABEL: gpu.func @not_the_last(
// CHECK-NOT:     memref.view
gpu.module @in_not_the_last {
  gpu.func @not_the_last(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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
      %more = arith.cmpi ult, %i, %c2 : index
      %some = arith.andi %more, %first : i1
      scf.if %more {
        scf.if %first {
          nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
          nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
        }
      }
      %next = arith.xori %phase, %odd : i1
      scf.yield %next : i1
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Two elements.
// CHECK-LABEL: gpu.func @elements(
// CHECK-SAME:    memref<8192xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_elements {
  gpu.func @elements(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %other: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !two
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !two
      nvgpu.mbarrier.init %bars[%c1], %c1 : !two
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !two
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !two -> !tile
    }
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c1], %bytes : !two
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c1] to %other : !map, !two -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !two
    nvgpu.mbarrier.try_wait.parity %bars[%c1], %even, %ticks : !two
    %w = memref.load %tile[%t, %c0] : !tile
    %w2 = memref.load %other[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// A wait for the other one.
// CHECK-LABEL: gpu.func @other_element(
// CHECK-NOT:     memref.view
gpu.module @in_other_element {
  gpu.func @other_element(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !two
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !two
      nvgpu.mbarrier.init %bars[%c1], %c1 : !two
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !two
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !two -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c1], %even, %ticks : !two
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// No wait.
// CHECK-LABEL: gpu.func @no_wait(
// CHECK-NOT:     memref.view
gpu.module @in_no_wait {
  gpu.func @no_wait(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Only one thread waits.
// CHECK-LABEL: gpu.func @one_waits(
// CHECK-NOT:     memref.view
gpu.module @in_one_waits {
  gpu.func @one_waits(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    scf.if %first {
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    }
    gpu.barrier
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// A wait on some paths.
// CHECK-LABEL: gpu.func @branch(
// CHECK-NOT:     memref.view
gpu.module @in_branch {
  gpu.func @branch(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    %b = arith.cmpi ult, %n, %c2 : index
    scf.if %b {
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// The phase ends when half of the tile is there.
// CHECK-LABEL: gpu.func @fewer_bytes(
// CHECK-NOT:     memref.view
gpu.module @in_fewer_bytes {
  gpu.func @fewer_bytes(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %half : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// A phase of two arrivals.
// CHECK-LABEL: gpu.func @more_arrivals(
// CHECK-NOT:     memref.view
gpu.module @in_more_arrivals {
  gpu.func @more_arrivals(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c2 : !bars
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
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Two ops arrive: the phase may end before the load begins.
// CHECK-LABEL: gpu.func @one_more(
// CHECK-NOT:     memref.view
gpu.module @in_one_more {
  gpu.func @one_more(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %c0 : !bars
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// No barrier tells that the mbarrier is made.
// CHECK-LABEL: gpu.func @no_barrier(
// CHECK-NOT:     memref.view
gpu.module @in_no_barrier {
  gpu.func @no_barrier(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// An element that is not known.
// CHECK-LABEL: gpu.func @index(
// CHECK-NOT:     memref.view
gpu.module @in_index {
  gpu.func @index(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%n], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%n] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Threads arrive by another op.
// CHECK-LABEL: gpu.func @arrive(
// CHECK-NOT:     memref.view
gpu.module @in_arrive {
  gpu.func @arrive(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    %tok = nvgpu.mbarrier.arrive %bars[%c0] : !bars -> !nvgpu.mbarrier.token
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Other workgroups have their part in it.
// CHECK-LABEL: gpu.func @multicast(
// CHECK-NOT:     memref.view
gpu.module @in_multicast {
  gpu.func @multicast(%map: !map, %x: f32, %n: index, %mask: i16) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile multicast_mask = %mask : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// Threads wait for different numbers of phases.
// CHECK-LABEL: gpu.func @threads_apart(
// CHECK-NOT:     memref.view
gpu.module @in_threads_apart {
  gpu.func @threads_apart(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    %p = scf.for %i = %c0 to %t step %c1 iter_args(%phase = %even) -> i1 {
      scf.if %first {
        nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
        nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
      }
      nvgpu.mbarrier.try_wait.parity %bars[%c0], %phase, %ticks : !bars
      %w = memref.load %tile[%t, %c0] : !tile
      %next = arith.xori %phase, %odd : i1
      scf.yield %next : i1
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.return
  }
}

// What threads have written before a load may come behind it.
// CHECK-LABEL: gpu.func @before(
// CHECK-NOT:     memref.view
gpu.module @in_before {
  gpu.func @before(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
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

// With a fence it does not.
// CHECK-LABEL: gpu.func @fenced(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_fenced {
  gpu.func @fenced(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
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

// A fence in front of it.
// CHECK-LABEL: gpu.func @fenced_early(
// CHECK-NOT:     memref.view
gpu.module @in_fenced_early {
  gpu.func @fenced_early(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
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

// A fence that other threads may not have passed.
// CHECK-LABEL: gpu.func @fenced_late(
// CHECK-NOT:     memref.view
gpu.module @in_fenced_late {
  gpu.func @fenced_late(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    gpu.barrier
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.return
  }
}

// A fence for other memory.
// CHECK-LABEL: gpu.func @other_fence(
// CHECK-NOT:     memref.view
gpu.module @in_other_fence {
  gpu.func @other_fence(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.barrier
    %v = memref.load %f[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.global>}
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

// A loop in a loop that carries the parity through both.
// CHECK-LABEL: gpu.func @nested(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_nested {
  gpu.func @nested(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    %p = scf.for %i = %c0 to %n step %c1 iter_args(%ph = %even) -> i1 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%pi = %ph) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %pi, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
      %nx = arith.xori %pi, %odd : i1
      scf.yield %nx : i1
    }
      scf.yield %q : i1
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}

// The outer one has a round of its own.
// CHECK-LABEL: gpu.func @nested_odd(
// CHECK-SAME:    memref<4096xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
gpu.module @in_nested_odd {
  gpu.func @nested_odd(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    %p = scf.for %i = %c0 to %n step %c1 iter_args(%ph = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %ph, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
    %ph2 = arith.xori %ph, %odd : i1
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%pi = %ph2) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %pi, %ticks : !bars
    %w2 = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
      %nx = arith.xori %pi, %odd : i1
      scf.yield %nx : i1
    }
      scf.yield %q : i1
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}

// The inner loop leaves the parity of its rounds, which the outer one does not carry on.
// CHECK-LABEL: gpu.func @nested_and_lost(
// CHECK-NOT:     memref.view
gpu.module @in_nested_and_lost {
  gpu.func @nested_and_lost(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    %p = scf.for %i = %c0 to %n step %c1 iter_args(%ph = %even) -> i1 {
    %q = scf.for %j = %c0 to %n step %c1 iter_args(%pi = %ph) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %pi, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
      %nx = arith.xori %pi, %odd : i1
      scf.yield %nx : i1
    }
      scf.yield %ph : i1
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}

// A loop that threads may leave apart.
// CHECK-LABEL: gpu.func @while_(
// CHECK-NOT:     memref.view
gpu.module @in_while_ {
  gpu.func @while_(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    scf.while : () -> () {
      %c = arith.cmpi ult, %n, %c1 : index
      scf.condition(%c)
    } do {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
      scf.yield
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}

// A loop of blocks.
// CHECK-LABEL: gpu.func @blocks(
// CHECK-NOT:     memref.view
gpu.module @in_blocks {
  gpu.func @blocks(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    cf.br ^loop(%c0 : index)
  ^loop(%i: index):
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %even, %ticks : !bars
    gpu.barrier
    %j = arith.addi %i, %c1 : index
    %c = arith.cmpi ult, %j, %n : index
    cf.cond_br %c, ^loop(%j : index), ^end
  ^end:
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}

// Others may do something with the mbarrier.
// CHECK-LABEL: gpu.func @group_passed(
// CHECK-NOT:     memref.view
gpu.module @in_group_passed {
  func.func private @g(!bars)
  gpu.func @group_passed(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    func.call @g(%bars) : (!bars) -> ()
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

// Whether there are rounds is not known.
// CHECK-LABEL: gpu.func @uniform_if(
// CHECK-NOT:     memref.view
gpu.module @in_uniform_if {
  gpu.func @uniform_if(%map: !map, %x: f32, %n: index) workgroup(%tile: !tile, %f: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %bytes = arith.constant 4096 : index
    %half = arith.constant 2048 : index
    %ticks = arith.constant 10000000 : index
    %even = arith.constant false
    %odd = arith.constant true
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %bars = nvgpu.mbarrier.create -> !bars
    scf.if %first {
      nvgpu.mbarrier.init %bars[%c0], %c1 : !bars
    }
    gpu.barrier
    %c = arith.cmpi ult, %n, %c2 : index
    scf.if %c {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%ph = %even) -> i1 {
    scf.if %first {
      nvgpu.mbarrier.arrive.expect_tx %bars[%c0], %bytes : !bars
      nvgpu.tma.async.load %map[%c0, %c0], %bars[%c0] to %tile : !map, !bars -> !tile
    }
    nvgpu.mbarrier.try_wait.parity %bars[%c0], %ph, %ticks : !bars
    %w = memref.load %tile[%t, %c0] : !tile
    gpu.barrier
      %nx = arith.xori %ph, %odd : i1
      scf.yield %nx : i1
    }
    }
    gpu.barrier
    memref.store %x, %f[%t] : !f
    gpu.return
  }
}
