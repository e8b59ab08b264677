// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Work goes on until something has waited for it. Until then no other view may have its bytes.

func.func @never_awaited(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run, as nothing has waited for it on some path}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use through another view}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Other bytes, or bytes that both read.
func.func @apart(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %arena = memref.alloc() : memref<512xi8>
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @one_path(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  scf.if %c {
    async.await %t : !async.token
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @both_paths(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  scf.if %c {
    async.await %t : !async.token
  } else {
    %u = async.execute [%t] {
      async.yield
    }
    async.await %u : !async.token
  }
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// A loop that carries the token waits for the turn before.
func.func @carried(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t0 = async.execute {
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !async.token {
    async.await %t : !async.token
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %x : memref<64xf32> to memref<64xf32>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    %next = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %next : !async.token
  }
  async.await %last : !async.token
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// A wait in one arm within a loop is none. Another turn makes the views anew.
func.func @some_turns(%x: memref<64xf32>, %q: memref<64xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  %t0 = async.execute {
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !async.token {
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    scf.if %c {
      async.await %t : !async.token
    }
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %x : memref<64xf32> to memref<64xf32>
    // expected-note @+2 {{this is the view that it uses}}
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %next = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %next : !async.token
  }
  async.await %last : !async.token
  return
}

// -----

// What a task waits for in its body, nothing behind the task has waited for.
func.func @in_a_body(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute {
    async.await %t : !async.token
    async.yield
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  async.await %u : !async.token
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// The task's own body comes behind what it waits for, and its token tells of both.
func.func @through_a_body(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute {
    async.await %t : !async.token
    memref.copy %q, %b : memref<64xf32> to memref<64xf32>
    async.yield
  }
  async.await %u : !async.token
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Two tasks at once. The second waits for the first in @after.
func.func @beside(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute {
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    async.yield
  }
  async.await %u : !async.token
  return
}

func.func @after(%x: memref<64xf32>, %q: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t = async.execute {
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute [%t] {
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  async.await %u : !async.token
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// A group stands for what has joined it, whatever became of the tokens.
func.func @group(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    %k = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

func.func @one_has_not_joined(%x: memref<64xf32>, %q: memref<64xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{this work may still run}}
    %t = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.if %c {
      %k = async.add_to_group %t, %g : !async.token
    }
  }
  async.await_all %g
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @stream(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = scf.if %c -> !gpu.async.token {
    %t = gpu.memcpy async [%t1] %q, %a : memref<64xf32>, memref<64xf32>
    scf.yield %t : !gpu.async.token
  } else {
    scf.yield %t1 : !gpu.async.token
  }
  gpu.wait [%t2]
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

func.func @half_a_stream(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %t0 = gpu.wait async
  // expected-note @+1 {{this work may still run}}
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = scf.if %c -> !gpu.async.token {
    %t = gpu.memcpy async [%t1] %q, %a : memref<64xf32>, memref<64xf32>
    scf.yield %t : !gpu.async.token
  } else {
    scf.yield %t0 : !gpu.async.token
  }
  gpu.wait [%t2]
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  return
}

// -----

func.func @message(%x: memref<64xf32>, %comm: !mpi.comm, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %in = mpi.irecv(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  mpi.wait(%in) : !mpi.request
  // expected-note @+1 {{this work may still run}}
  %out = mpi.isend(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  scf.if %c {
    mpi.wait(%out) : !mpi.request
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

func.func @messages(%x: memref<64xf32>, %comm: !mpi.comm, %n: i32, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %in = mpi.irecv(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  mpi.wait(%in) : !mpi.request
  %out = mpi.isend(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  scf.if %c {
    mpi.wait(%out) : !mpi.request
  } else {
    %r = mpi.wait(%out) : !mpi.request -> !mpi.retval
  }
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A transfer whose wait is for another element.
func.func @transfer(%far: memref<64xf32, 1>, %tag: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Groups of copies end in the order in which they were made; one may be left pending.
!ws = memref<256xi8, #gpu.address_space<workgroup>>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  gpu.func @left_one(%x: memref<64xf32>, %v: f32) workgroup(%arena: !ws, %other: !tile) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.view %arena[%c0][] : !ws to !tile
    %b = memref.view %arena[%c0][] : !ws to !tile
    %1 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !tile
    %g1 = nvgpu.device_async_create_group %1
    %2 = nvgpu.device_async_copy %x[%c0], %other[%c0], 4 : memref<64xf32> to !tile
    %g2 = nvgpu.device_async_create_group %2
    nvgpu.device_async_wait %g1 {numGroups = 1 : i32}
    gpu.barrier
    memref.store %v, %b[%c0] : !tile
    gpu.barrier
    nvgpu.device_async_wait %g2 {numGroups = 0 : i32}
    gpu.return
  }

  gpu.func @left_both(%x: memref<64xf32>, %v: f32) workgroup(%arena: !ws, %other: !tile) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : !ws to !tile
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : !ws to !tile
    // expected-note @+1 {{this work may still run}}
    %1 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !tile
    %g1 = nvgpu.device_async_create_group %1
    %2 = nvgpu.device_async_copy %x[%c0], %other[%c0], 4 : memref<64xf32> to !tile
    %g2 = nvgpu.device_async_create_group %2
    nvgpu.device_async_wait %g1 {numGroups = 2 : i32}
    gpu.barrier
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.store %v, %b[%c0] : !tile
    gpu.return
  }

  // A copy that joins no group has no end.
  gpu.func @no_group(%x: memref<64xf32>, %v: f32) workgroup(%arena: !ws, %other: !tile) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : !ws to !tile
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : !ws to !tile
    // expected-note @+1 {{this work may still run}}
    %1 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !tile
    nvgpu.device_async_wait %1
    gpu.barrier
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.store %v, %b[%c0] : !tile
    gpu.return
  }
}

// -----

// A loop that rotates two tiles leaves one copy on its way.
!ws = memref<768xi8, #gpu.address_space<workgroup>>
!tile = memref<64xf32, #gpu.address_space<workgroup>>
!token = !nvgpu.device.async.token
gpu.module @m {
  gpu.func @two_tiles(%x: memref<64xf32>, %n: index, %v: f32) workgroup(%arena: !ws) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %a = memref.view %arena[%c0][] : !ws to !tile
    %b = memref.view %arena[%c256][] : !ws to !tile
    %z = memref.view %arena[%c0][] : !ws to !tile
    %1 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !tile
    %g1 = nvgpu.device_async_create_group %1
    %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %a, %then = %b, %g = %g1)
        -> (!tile, !tile, !token) {
      %2 = nvgpu.device_async_copy %x[%c0], %then[%c0], 4 : memref<64xf32> to !tile
      %g2 = nvgpu.device_async_create_group %2
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %r = memref.load %now[%c0] : !tile
      memref.store %r, %x[%c0] : memref<64xf32>
      gpu.barrier
      scf.yield %then, %now, %g2 : !tile, !tile, !token
    }
    nvgpu.device_async_wait %l#2 {numGroups = 0 : i32}
    gpu.barrier
    memref.store %v, %z[%c0] : !tile
    gpu.return
  }

  gpu.func @last_copy(%x: memref<64xf32>, %n: index, %v: f32) workgroup(%arena: !ws) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : !ws to !tile
    %b = memref.view %arena[%c256][] : !ws to !tile
    // expected-note @+1 {{this is the other view}}
    %z = memref.view %arena[%c0][] : !ws to !tile
    // expected-note @+1 {{this work may still run}}
    %1 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !tile
    %g1 = nvgpu.device_async_create_group %1
    %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%now = %a, %then = %b, %g = %g1)
        -> (!tile, !tile, !token) {
      %2 = nvgpu.device_async_copy %x[%c0], %then[%c0], 4 : memref<64xf32> to !tile
      %g2 = nvgpu.device_async_create_group %2
      nvgpu.device_async_wait %g {numGroups = 1 : i32}
      gpu.barrier
      %r = memref.load %now[%c0] : !tile
      memref.store %r, %x[%c0] : memref<64xf32>
      gpu.barrier
      scf.yield %then, %now, %g2 : !tile, !tile, !token
    }
    nvgpu.device_async_wait %l#2 {numGroups = 1 : i32}
    gpu.barrier
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.store %v, %z[%c0] : !tile
    gpu.return
  }
}

// -----

// Turns of an scf.while that carries the token run one after another.
func.func @while_in_turn(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  %t0 = async.execute {
    async.yield
  }
  %r:2 = scf.while (%i = %c0, %t = %t0) : (index, !async.token) -> (index, !async.token) {
    %go = arith.cmpi ult, %i, %n : index
    scf.condition(%go) %i, %t : index, !async.token
  } do {
  ^bb0(%i: index, %t: !async.token):
    %u = async.execute [%t] {
      memref.copy %q, %a : memref<64xf32> to memref<64xf32>
      async.yield
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %u : index, !async.token
  }
  async.await %r#1 : !async.token
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// ... and those that are not given it run at once.
func.func @while_at_once(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  %t0 = async.execute {
    async.yield
  }
  // expected-note @+1 {{iterations of this may run at once}}
  %r:2 = scf.while (%i = %c0, %t = %t0) : (index, !async.token) -> (index, !async.token) {
    %go = arith.cmpi ult, %i, %n : index
    scf.condition(%go) %i, %t : index, !async.token
  } do {
  ^bb0(%i: index, %t: !async.token):
    %u = async.execute {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.copy %q, %a : memref<64xf32> to memref<64xf32>
      async.yield
    }
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %u : index, !async.token
  }
  async.await %r#1 : !async.token
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Both tokens that a select may choose represent the work.
func.func @select_of_two(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute [%t] {
    async.yield
  }
  %v = async.execute [%t] {
    async.yield
  }
  %s = arith.select %c, %u, %v : !async.token
  async.await %s : !async.token
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// ... and one of these does not.
func.func @select_of_one(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute [%t] {
    async.yield
  }
  %v = async.execute {
    async.yield
  }
  %s = arith.select %c, %u, %v : !async.token
  async.await %s : !async.token
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// ... and nothing waits for the choice.
func.func @select_not_awaited(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %u = async.execute [%t] {
    async.yield
  }
  %v = async.execute [%t] {
    async.yield
  }
  %s = arith.select %c, %u, %v : !async.token
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Twenty tokens represent the work, and any of these ends it.
func.func @many_tokens(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %t0 = async.execute [%t] {
    async.yield
  }
  %t1 = async.execute [%t] {
    async.yield
  }
  %t2 = async.execute [%t] {
    async.yield
  }
  %t3 = async.execute [%t] {
    async.yield
  }
  %t4 = async.execute [%t] {
    async.yield
  }
  %t5 = async.execute [%t] {
    async.yield
  }
  %t6 = async.execute [%t] {
    async.yield
  }
  %t7 = async.execute [%t] {
    async.yield
  }
  %t8 = async.execute [%t] {
    async.yield
  }
  %t9 = async.execute [%t] {
    async.yield
  }
  %t10 = async.execute [%t] {
    async.yield
  }
  %t11 = async.execute [%t] {
    async.yield
  }
  %t12 = async.execute [%t] {
    async.yield
  }
  %t13 = async.execute [%t] {
    async.yield
  }
  %t14 = async.execute [%t] {
    async.yield
  }
  %t15 = async.execute [%t] {
    async.yield
  }
  %t16 = async.execute [%t] {
    async.yield
  }
  %t17 = async.execute [%t] {
    async.yield
  }
  %t18 = async.execute [%t] {
    async.yield
  }
  %t19 = async.execute [%t] {
    async.yield
  }
  async.await %t19 : !async.token
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  async.await %t2 : !async.token
  async.await %t3 : !async.token
  async.await %t4 : !async.token
  async.await %t5 : !async.token
  async.await %t6 : !async.token
  async.await %t7 : !async.token
  async.await %t8 : !async.token
  async.await %t9 : !async.token
  async.await %t10 : !async.token
  async.await %t11 : !async.token
  async.await %t12 : !async.token
  async.await %t13 : !async.token
  async.await %t14 : !async.token
  async.await %t15 : !async.token
  async.await %t16 : !async.token
  async.await %t17 : !async.token
  async.await %t18 : !async.token
  return
}

// -----

// ... and nothing waits for one before the other view is used.
func.func @many_tokens_early(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %t0 = async.execute [%t] {
    async.yield
  }
  %t1 = async.execute [%t] {
    async.yield
  }
  %t2 = async.execute [%t] {
    async.yield
  }
  %t3 = async.execute [%t] {
    async.yield
  }
  %t4 = async.execute [%t] {
    async.yield
  }
  %t5 = async.execute [%t] {
    async.yield
  }
  %t6 = async.execute [%t] {
    async.yield
  }
  %t7 = async.execute [%t] {
    async.yield
  }
  %t8 = async.execute [%t] {
    async.yield
  }
  %t9 = async.execute [%t] {
    async.yield
  }
  %t10 = async.execute [%t] {
    async.yield
  }
  %t11 = async.execute [%t] {
    async.yield
  }
  %t12 = async.execute [%t] {
    async.yield
  }
  %t13 = async.execute [%t] {
    async.yield
  }
  %t14 = async.execute [%t] {
    async.yield
  }
  %t15 = async.execute [%t] {
    async.yield
  }
  %t16 = async.execute [%t] {
    async.yield
  }
  %t17 = async.execute [%t] {
    async.yield
  }
  %t18 = async.execute [%t] {
    async.yield
  }
  %t19 = async.execute [%t] {
    async.yield
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  async.await %t2 : !async.token
  async.await %t3 : !async.token
  async.await %t4 : !async.token
  async.await %t5 : !async.token
  async.await %t6 : !async.token
  async.await %t7 : !async.token
  async.await %t8 : !async.token
  async.await %t9 : !async.token
  async.await %t10 : !async.token
  async.await %t11 : !async.token
  async.await %t12 : !async.token
  async.await %t13 : !async.token
  async.await %t14 : !async.token
  async.await %t15 : !async.token
  async.await %t16 : !async.token
  async.await %t17 : !async.token
  async.await %t18 : !async.token
  async.await %t19 : !async.token
  return
}

// -----

// The constants let the loop run, so it waits.
func.func @certain_loop(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  scf.for %i = %c0 to %c4 step %c1 {
    async.await %t : !async.token
  }
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// ... and without the wait it does not.
func.func @certain_loop_no_wait(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  scf.for %i = %c0 to %c4 step %c1 {
    memref.copy %q, %q : memref<64xf32> to memref<64xf32>
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// These constants let it run no turn.
func.func @no_turn(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  scf.for %i = %c4 to %c4 step %c1 {
    async.await %t : !async.token
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Memory that each iteration makes and frees: the work of this iteration may still use it.
func.func @freed_in_each_iteration(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this work may still run}}
    %t = async.execute {
      memref.store %x, %a[%c0] : memref<64xf32>
      async.yield
    }
    // expected-error @+1 {{deallocates an arena that work may still use}}
    memref.dealloc %arena : memref<256xi8>
  }
  return
}

// -----

func.func @used_in_each_iteration(%x: f32, %z: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %arena = memref.alloc() : memref<256xi8>
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%c0][] : memref<256xi8> to memref<32xf64>
    // expected-note @+1 {{this work may still run}}
    %t = async.execute {
      memref.store %x, %a[%c0] : memref<64xf32>
      async.yield
    }
    // expected-error @+1 {{uses bytes of an arena that work may still use}}
    memref.store %z, %b[%c0] : memref<32xf64>
  }
  return
}

// -----

// Of two works one select chooses the token of one, and the other that of the other.
func.func @swapped_selects(%x: f32, %z: f64, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<32xf64>
  %t = async.execute {
    memref.store %x, %a[%c0] : memref<64xf32>
    async.yield
  }
  %u = async.execute [%t] {
    memref.store %x, %a[%c0] : memref<64xf32>
    async.yield
  }
  %one = arith.select %c, %t, %u : !async.token
  %other = arith.select %c, %u, %t : !async.token
  async.await %one : !async.token
  async.await %other : !async.token
  memref.store %z, %b[%c0] : memref<32xf64>
  return
}

// -----

// Both choose the same one.
func.func @equal_selects(%x: f32, %z: f64, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<32xf64>
  %t = async.execute {
    async.yield
  }
  // expected-note @+1 {{this work may still run}}
  %u = async.execute {
    memref.store %x, %a[%c0] : memref<64xf32>
    async.yield
  }
  %one = arith.select %c, %t, %u : !async.token
  %same = arith.select %c, %t, %u : !async.token
  async.await %one : !async.token
  async.await %same : !async.token
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.store %z, %b[%c0] : memref<32xf64>
  return
}

// -----

// The condition of the second is another iteration's.
func.func @swapped_in_another_iteration(%x: f32, %z: f64, %n: index, %cs: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<256xi8>
  // expected-note @+1 {{this is the view that it uses}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the other view}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<32xf64>
  %none = async.execute {
    async.yield
  }
  // expected-note @+1 {{this work may still run}}
  %t = async.execute {
    memref.store %x, %a[%c0] : memref<64xf32>
    async.yield
  }
  scf.for %i = %c0 to %n step %c1 {
    %c = memref.load %cs[%i] : memref<?xi1>
    %i0 = arith.cmpi eq, %i, %c0 : index
    %one = arith.select %c, %t, %none : !async.token
    %other = arith.select %c, %none, %t : !async.token
    scf.if %i0 {
      async.await %one : !async.token
    } else {
      async.await %other : !async.token
    }
  }
  // expected-error @+1 {{uses bytes of an arena that work may still use}}
  memref.store %z, %b[%c0] : memref<32xf64>
  return
}
