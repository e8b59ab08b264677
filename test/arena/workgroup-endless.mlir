// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --merge-alloc --check-arena-plan --remarks-filter=merge-alloc 2>&1 | FileCheck %s

// What is not known to end goes on as long as the kernel runs: copies that no wait is known to complete, and pointers. %a shares bytes with
// what is used before, %p, and with nothing that is used afterwards.

// CHECK: [Passed] workgroup {{.*}}Function=stages | Remark="3 workgroup buffers of 1536 bytes put into 1024 bytes"
// CHECK: [Passed] workgroup {{.*}}Function=empty_group | Remark="3 workgroup buffers of 1536 bytes put into 1024 bytes"
// CHECK: [Passed] workgroup {{.*}}Function=guarded | Remark="3 workgroup buffers of 1536 bytes put into 1024 bytes"
// CHECK: asynchronous {{.*}}Function=at_once | {{.*}}'nvgpu.device_async_copy' starts work {{.*}}Suggestion="wait for its group with nvgpu.device_async_wait, on every path"
// CHECK: [Passed] workgroup {{.*}}Function=pointer | Remark="2 workgroup buffers of 16384 bytes put into 8192 bytes"
// CHECK: pointer-taken {{.*}}Function=unfenced | {{.*}}'memref.extract_aligned_pointer_as_index' turns its address
// CHECK: pointer-taken {{.*}}Function=before_barrier
// CHECK: pointer-taken {{.*}}Function=in_a_cluster
// CHECK: pointer-taken {{.*}}Function=assembly
// CHECK: pointer-taken {{.*}}Function=multicast
// CHECK: [Passed] workgroup {{.*}}Function=descriptor | Remark="2 workgroup buffers of 16384 bytes put into 8192 bytes"
// CHECK: [Passed] workgroup {{.*}}Function=cast | Remark="2 workgroup buffers of 16384 bytes put into 8192 bytes"

#ws = #gpu.address_space<workgroup>
!a = memref<2x64xf32, #ws>
!f = memref<128xf32, #ws>
!tok = !nvgpu.device.async.token
gpu.module @m {
  // Two stages ahead: the newest group is told from the one that is waited for by their number only.
  gpu.func @stages(%src: memref<4096xf32>, %x: f32, %n: index) workgroup(%a: !a, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    %k0 = nvgpu.device_async_copy %src[%t], %a[%c0, %t], 4 : memref<4096xf32> to !a
    %g0 = nvgpu.device_async_create_group %k0
    %k01 = nvgpu.device_async_copy %src[%t], %a[%c1, %t], 4 : memref<4096xf32> to !a
    %g01 = nvgpu.device_async_create_group %k01
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%g = %g0, %h = %g01) -> (!tok, !tok) {
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %s0 = arith.remui %k, %c2 : index
      %w = memref.load %a[%s0, %t] : !a
      gpu.barrier
      %next = arith.addi %k, %c2 : index
      %s = arith.remui %next, %c2 : index
      %k1 = nvgpu.device_async_copy %src[%next], %a[%s, %t], 4 : memref<4096xf32> to !a
      %g1 = nvgpu.device_async_create_group %k1
      scf.yield %h, %g1 : !tok, !tok
    }
    nvgpu.device_async_wait %r#1
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
  // The group that is waited for has no copies.
  gpu.func @empty_group(%src: memref<4096xf32>, %x: f32, %n: index) workgroup(%a: !a, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    scf.for %k = %c0 to %n step %c1 {
      %k1 = nvgpu.device_async_copy %src[%k], %a[%c0, %t], 4 : memref<4096xf32> to !a
      %g1 = nvgpu.device_async_create_group %k1
      %g2 = nvgpu.device_async_create_group
      nvgpu.device_async_wait %g2
      gpu.barrier
      %w = memref.load %a[%c1, %t] : !a
      gpu.barrier
    }
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
  // A copy is in no group by name.
  gpu.func @guarded(%src: memref<4096xf32>, %x: f32, %n: index) workgroup(%a: !a, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    %k0 = nvgpu.device_async_copy %src[%t], %a[%c0, %t], 4 : memref<4096xf32> to !a
    %g0 = nvgpu.device_async_create_group %k0
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%g = %g0) -> (!tok) {
      %next = arith.addi %k, %c1 : index
      %s = arith.remui %next, %c2 : index
      %more = arith.cmpi ult, %next, %n : index
      scf.if %more {
        %k1 = nvgpu.device_async_copy %src[%next], %a[%s, %t], 4 : memref<4096xf32> to !a
      }
      %g1 = nvgpu.device_async_create_group
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %s0 = arith.remui %k, %c2 : index
      %w = memref.load %a[%s0, %t] : !a
      gpu.barrier
      scf.yield %g1 : !tok
    }
    nvgpu.device_async_wait %r
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
  // It is on its way while %p is used.
  gpu.func @at_once(%src: memref<4096xf32>, %x: f32, %n: index) workgroup(%a: !a, %p: !f, %q: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %k0 = nvgpu.device_async_copy %src[%t], %a[%c0, %t], 4 : memref<4096xf32> to !a
    %g0 = nvgpu.device_async_create_group %k0
    gpu.barrier
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    memref.store %x, %q[%t] : !f
    gpu.barrier
    %u = memref.load %q[%c0] : !f
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!tile = memref<64x64xf16, #ws>
!f = memref<2048xf32, #ws>
!map = !nvgpu.tensormap.descriptor<tensor = !tile, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
gpu.module @m {
  gpu.func @pointer(%x: f32, %src: !llvm.ptr<1>) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  // The pointer may be used by an engine that what threads have written comes behind.
  gpu.func @unfenced(%x: f32, %src: !llvm.ptr<1>) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    gpu.barrier
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  // It is there while %p is used.
  gpu.func @before_barrier(%x: f32, %src: !llvm.ptr<1>) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  // Others may be in front of the barrier when this one writes to their memory.
  gpu.func @in_a_cluster(%x: f32, %src: !llvm.ptr<1>, %rank: i32) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    %other = nvvm.mapa %q, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %x, %other : f32, !llvm.ptr<7>
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  // So it may be with what is not read.
  gpu.func @assembly(%x: f32, %src: !llvm.ptr<1>) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    llvm.inline_asm "mapa.shared::cluster.u32 $0, $0, 1;", "l" %j : (i64) -> ()
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  gpu.func @multicast(%x: f32, %src: !llvm.ptr<1>, %there: !llvm.ptr<7>, %bar: !llvm.ptr<3>, %bytes: i32, %mask: i16) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %i = memref.extract_aligned_pointer_as_index %a : !tile -> index
    %j = arith.index_cast %i : index to i64
    %q = llvm.inttoptr %j : i64 to !llvm.ptr<3>
    nvvm.cp.async.shared.global %q, %src, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.cp.async.bulk.shared.cluster.global %there, %src, %bar, %bytes multicast_mask = %mask : !llvm.ptr<7>, !llvm.ptr<1>
    gpu.barrier
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  gpu.func @descriptor(%x: f32, %map: !map) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %d = nvgpu.warpgroup.generate.descriptor %a, %map : !tile, !map -> !nvgpu.warpgroup.descriptor<tensor = !tile>
    %acc = nvgpu.warpgroup.mma.init.accumulator -> !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>
    %r = nvgpu.warpgroup.mma %d, %d, %acc {transposeB} : !nvgpu.warpgroup.descriptor<tensor = !tile>, !nvgpu.warpgroup.descriptor<tensor = !tile>, !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>> -> !nvgpu.warpgroup.accumulator<fragmented = vector<64x64xf32>>
    %w = memref.load %a[%t, %c0] : !tile
    gpu.return
  }
  gpu.func @cast(%x: f32, %map: !map) workgroup(%a: !tile, %p: !f) kernel {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %p[%t] : !f
    gpu.barrier
    %v = memref.load %p[%c0] : !f
    nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
    gpu.barrier
    %d = builtin.unrealized_conversion_cast %a : !tile to !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
    %q = llvm.extractvalue %d[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
    llvm.store %x, %q : f32, !llvm.ptr<3>
    gpu.return
  }
}
