// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Asynchronous copies into workgroup memory use it until they are waited for. A wait may leave the
// newest groups pending: what a group copies is there once enough others have been made.

// RUN: stowage-opt %s --merge-alloc --check-arena-plan --remarks-filter-missed=merge-alloc 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t

#ws = #gpu.address_space<workgroup>

gpu.module @m {
  // CHECK-LABEL: gpu.func @straight(
  // CHECK-SAME: workgroup(%{{.*}} : memref<256xi8, 
  gpu.func @straight(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g = nvgpu.device_async_create_group %k
    nvgpu.device_async_wait %g
    gpu.barrier
    %v = memref.load %a[%t] : memref<64xf32, #ws>
    memref.store %v, %y[%t] : memref<64xf32>
    gpu.barrier
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // A copy is done with its group: a wait that leaves the newest group pending leaves it, named by the copy or not.
  // SAID: asynchronous {{.*}}Function=own_group
  // CHECK-LABEL: gpu.func @own_group(
  // CHECK-NOT: memref.view
  gpu.func @own_group(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g = nvgpu.device_async_create_group %k
    nvgpu.device_async_wait %k {numGroups = 1 : i32}
    gpu.barrier
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // A group that is made before the copy's own does not count for it.
  // SAID: asynchronous {{.*}}Function=older_group
  // CHECK-LABEL: gpu.func @older_group(
  // CHECK-NOT: memref.view
  gpu.func @older_group(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %old = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
    %g = nvgpu.device_async_create_group %k
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    gpu.barrier
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // A copy that is in no group.
  // SAID: asynchronous {{.*}}Function=no_group
  // CHECK-LABEL: gpu.func @no_group(
  // CHECK-NOT: memref.view
  gpu.func @no_group(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    nvgpu.device_async_wait %k
    gpu.barrier
    %v = memref.load %x[%t] : memref<64xf32>
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // A wait that leaves a group pending takes nothing from a later one.
  // CHECK-LABEL: gpu.func @twice(
  // CHECK-SAME: workgroup(%{{.*}} : memref<256xi8,
  gpu.func @twice(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g = nvgpu.device_async_create_group %k
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    nvgpu.device_async_wait %g
    gpu.barrier
    %v = memref.load %a[%t] : memref<64xf32, #ws>
    memref.store %v, %y[%t] : memref<64xf32>
    gpu.barrier
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // The wait leaves that group pending.
  // SAID: asynchronous {{.*}}Function=left
  // CHECK-LABEL: gpu.func @left(
  // CHECK-NOT: memref.view
  gpu.func @left(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %t = gpu.thread_id x
    %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g = nvgpu.device_async_create_group %k
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    gpu.barrier
    %v = memref.load %y[%t] : memref<64xf32>
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.barrier
    %w = memref.load %b[%t] : memref<64xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // The tile of a turn is copied while the one before works: both are in use until the last wait,
  // and %z, which comes behind, may have their bytes.
  // CHECK-LABEL: gpu.func @pipeline(
  // CHECK-SAME: workgroup(%{{.*}} : memref<512xi8, 
  gpu.func @pipeline(%x: memref<64xf32>, %y: memref<64xf32>, %n: index)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>, %z: memref<128xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %k0 = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g0 = nvgpu.device_async_create_group %k0
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%g = %g0, %now = %a, %then = %b) -> (!nvgpu.device.async.token, memref<64xf32, #ws>, memref<64xf32, #ws>) {
      %k = nvgpu.device_async_copy %x[%t], %then[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
      %h = nvgpu.device_async_create_group %k
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %v = memref.load %now[%t] : memref<64xf32, #ws>
      memref.store %v, %y[%t] : memref<64xf32>
      gpu.barrier
      scf.yield %h, %then, %now : !nvgpu.device.async.token, memref<64xf32, #ws>, memref<64xf32, #ws>
    }
    nvgpu.device_async_wait %r#0 {numGroups = 0 : i32}
    gpu.barrier
    %v = memref.load %y[%t] : memref<64xf32>
    memref.store %v, %z[%t] : memref<128xf32, #ws>
    gpu.barrier
    %w = memref.load %z[%t] : memref<128xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
  // One copy more is pending than the wait leaves time for.
  // SAID: asynchronous {{.*}}Function=too_many_pending
  // CHECK-LABEL: gpu.func @too_many_pending(
  // CHECK-NOT: memref.view
  gpu.func @too_many_pending(%x: memref<64xf32>, %y: memref<64xf32>, %n: index)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %k0 = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %g0 = nvgpu.device_async_create_group %k0
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%g = %g0) -> (!nvgpu.device.async.token) {
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %k = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
      %h = nvgpu.device_async_create_group %k
      scf.yield %h : !nvgpu.device.async.token
    }
    nvgpu.device_async_wait %r
    gpu.barrier
    %v = memref.load %y[%t] : memref<64xf32>
    memref.store %v, %b[%t] : memref<64xf32, #ws>
    gpu.return
  }

  // Three tiles: two groups are pending while one is worked on.
  // CHECK-LABEL: gpu.func @three_tiles(
  // CHECK-SAME: workgroup(%{{.*}} : memref<768xi8, 
  gpu.func @three_tiles(%x: memref<64xf32>, %y: memref<64xf32>, %n: index)
      workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>, %c: memref<64xf32, #ws>,
                %z: memref<192xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %ka = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %ga = nvgpu.device_async_create_group %ka
    %kb = nvgpu.device_async_copy %x[%t], %b[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
    %gb = nvgpu.device_async_create_group %kb
    %r:5 = scf.for %i = %c0 to %n step %c1
        iter_args(%g = %ga, %h = %gb, %now = %a, %next = %b, %then = %c)
        -> (!nvgpu.device.async.token, !nvgpu.device.async.token, memref<64xf32, #ws>, memref<64xf32, #ws>, memref<64xf32, #ws>) {
      %k = nvgpu.device_async_copy %x[%t], %then[%t], 1 : memref<64xf32> to memref<64xf32, #ws>
      %j = nvgpu.device_async_create_group %k
      nvgpu.device_async_wait %g {numGroups = 2 : i32}
      gpu.barrier
      %v = memref.load %now[%t] : memref<64xf32, #ws>
      memref.store %v, %y[%t] : memref<64xf32>
      gpu.barrier
      scf.yield %h, %j, %next, %then, %now : !nvgpu.device.async.token, !nvgpu.device.async.token, memref<64xf32, #ws>, memref<64xf32, #ws>, memref<64xf32, #ws>
    }
    nvgpu.device_async_wait %r#0
    nvgpu.device_async_wait %r#1
    gpu.barrier
    %v = memref.load %y[%t] : memref<64xf32>
    memref.store %v, %z[%t] : memref<192xf32, #ws>
    gpu.barrier
    %w = memref.load %z[%t] : memref<192xf32, #ws>
    memref.store %w, %y[%t] : memref<64xf32>
    gpu.return
  }
}
