// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// A workgroup has each global of its memory once. The views that functions cut from one are none of their callers'.

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {
  memref.global "private" @arena : !ws = uninitialized
  func.func @writes(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the view that it uses}}
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    return
  }
  gpu.func @k(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    gpu.barrier
    // expected-note @+1 {{after this: a gpu.barrier is missing between the two, on some path}}
    %y = memref.load %v[%c0] : !f
    // expected-error @+1 {{threads use bytes here that others may still use through another view, as no barrier comes first}}
    func.call @writes(%x, %i) : (f32, index) -> ()
    memref.store %y, %q[%i] : memref<64xf32>
    gpu.return
  }

  // Other bytes, and the same behind a barrier.
  gpu.func @apart(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %i = gpu.thread_id x
    %g = memref.get_global @arena : !ws
    %u = memref.view %g[%c256][] : !ws to !f
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    gpu.barrier
    %y = memref.load %v[%c0] : !f
    memref.store %x, %u[%i] : !f
    gpu.barrier
    func.call @writes(%x, %i) : (f32, index) -> ()
    memref.store %y, %q[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

// The kernel has no name of its own for the global.
gpu.module @m {
  memref.global "private" @arena : !ws = uninitialized
  func.func @writes(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    return
  }
  func.func @reads(%i: index) -> f32 {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the view that it uses}}
    %v = memref.view %g[%c0][] : !ws to !f
    %x = memref.load %v[%i] : !f
    return %x : f32
  }
  func.func @deeper(%i: index) -> f32 {
    %x = func.call @reads(%i) : (index) -> f32
    return %x : f32
  }
  gpu.func @k(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    // expected-note @+1 {{after this}}
    func.call @writes(%x, %i) : (f32, index) -> ()
    // expected-error @+1 {{threads use bytes here that others may still use through another view}}
    %y = func.call @deeper(%c0) : (index) -> f32
    memref.store %y, %q[%i] : memref<64xf32>
    gpu.return
  }
  gpu.func @again(%x: f32) kernel {
    %i = gpu.thread_id x
    func.call @writes(%x, %i) : (f32, index) -> ()
    func.call @writes(%x, %i) : (f32, index) -> ()
    gpu.return
  }
}

// -----

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

// What a function does behind its barrier is behind the call, too.
gpu.module @m {
  memref.global "private" @arena : !ws = uninitialized
  func.func @meets(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    gpu.barrier
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    return
  }
  gpu.func @k(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the view that it uses}}
    %v = memref.view %g[%c0][] : !ws to !f
    // expected-note @+1 {{after this}}
    func.call @meets(%x, %i) : (f32, index) -> ()
    // expected-error @+1 {{threads use bytes here that others may still use through another view}}
    memref.store %x, %v[%i] : !f
    gpu.return
  }
}

// -----

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>

// In one function, which nothing here calls: only threads have such memory.
gpu.module @m {
  memref.global "private" @arena : !ws = uninitialized
  func.func @both(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %g[%c0][] : !ws to !f
    // expected-note @+1 {{this is the view that it uses}}
    %w = memref.view %g[%c0][] : !ws to !f
    // expected-note @+1 {{after this}}
    memref.store %x, %v[%i] : !f
    // expected-error @+1 {{threads use bytes here that others may still use through another view}}
    memref.store %x, %w[%i] : !f
    return
  }
}

// -----

// Each thread has its own of other memory.
!own = memref<512xi8, #gpu.address_space<private>>
!p = memref<64xf32, #gpu.address_space<private>>
gpu.module @m {
  memref.global "private" @arena : !own = uninitialized
  func.func @reads(%i: index) -> f32 {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !own
    %v = memref.view %g[%c0][] : !own to !p
    %x = memref.load %v[%i] : !p
    return %x : f32
  }
  gpu.func @k(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %g = memref.get_global @arena : !own
    %v = memref.view %g[%c0][] : !own to !p
    memref.store %x, %v[%i] : !p
    %y = func.call @reads(%c0) : (index) -> f32
    memref.store %y, %q[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

// A call that meets a barrier is followed by another one: what the first does behind its barrier is not ordered with
// what the second does in front of it.

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @twice {
  memref.global "private" @arena : !ws = uninitialized
  func.func @stage(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    // expected-note @+2 {{this is the other view}}
    // expected-note @+1 {{this is the view that it uses}}
    %v1 = memref.view %g[%c0][] : !ws to !f
    // expected-note @+2 {{this is the other view}}
    // expected-note @+1 {{this is the view that it uses}}
    %v2 = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v1[%i] : !f
    gpu.barrier
    memref.store %x, %v2[%i] : !f
    return
  }
  gpu.func @wrong(%x: f32) kernel {
    %i = gpu.thread_id x
    // expected-note @+1 {{after this}}
    func.call @stage(%x, %i) : (f32, index) -> ()
    // expected-error @+1 {{threads use bytes here that others may still use through another view}}
    func.call @stage(%x, %i) : (f32, index) -> ()
    gpu.return
  }
  gpu.func @right(%x: f32) kernel {
    %i = gpu.thread_id x
    func.call @stage(%x, %i) : (f32, index) -> ()
    gpu.barrier
    func.call @stage(%x, %i) : (f32, index) -> ()
    gpu.return
  }
}

// -----

// The views that a function makes of other names of a global, and what it selects or cuts in another way.

!ws = memref<512xi8, #gpu.address_space<workgroup>>
!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @renamed {
  memref.global "private" @arena : !ws = uninitialized
  func.func @cast(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @arena : !ws
    %d = memref.cast %g : !ws to memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.cast %d : memref<?xi8, #gpu.address_space<workgroup>> to !ws
    // expected-note @+1 {{this is the view that it uses}}
    %v = memref.view %s[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    return
  }
  gpu.func @after(%x: f32, %q: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %g = memref.get_global @arena : !ws
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %g[%c0][] : !ws to !f
    memref.store %x, %v[%i] : !f
    gpu.barrier
    // expected-note @+1 {{after this}}
    %y = memref.load %v[%c0] : !f
    // expected-error @+1 {{threads use bytes here that others may still use through another view}}
    func.call @cast(%x, %i) : (f32, index) -> ()
    memref.store %y, %q[%i] : memref<64xf32>
    gpu.return
  }
}
