// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics

// What a transfer takes must stay until it is waited for.
func.func @overwritten(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// What it writes is written by then.
func.func @arrives(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Behind the wait the bytes are free, and memory may go.
func.func @behind(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// A wait behind the loop, or in its next turn, waits for what a turn has started.
func.func @in_a_loop(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  scf.for %i = %c0 to %n step %c1 {
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    memref.copy %a, %x : memref<64xf32> to memref<64xf32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  }
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @overwritten_in_a_loop(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %x : memref<64xf32> to memref<64xf32>
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  }
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Two halves of a buffer in turn: where in its buffers a transfer reads and writes, the wait need not know.
func.func @in_turn(%x: memref<64xf32>, %far: memref<8x64xf32, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloca() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<2x64xf32>
  %b = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  memref.dma_start %far[%c0, %c0], %a[%c0, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
  scf.for %i = %c1 to %n step %c1 {
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    %half = arith.remui %i, %c2 : index
    memref.dma_start %far[%i, %c0], %a[%half, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
    %other = arith.subi %c1, %half : index
    %row = memref.subview %a[%other, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %row, %x : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32>
  }
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<512xi8>
  return
}

// -----

func.func @overwritten_in_turn(%x: memref<64xf32>, %far: memref<8x64xf32, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloca() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<2x64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.dma_start %far[%c0, %c0], %a[%c0, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
  scf.for %i = %c1 to %n step %c1 {
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    %half = arith.remui %i, %c2 : index
    memref.dma_start %far[%i, %c0], %a[%half, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
    %other = arith.subi %c1, %half : index
    %row = memref.subview %a[%other, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %row, %x : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32>
  }
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.dealloc %arena : memref<512xi8>
  return
}

// -----

// Behind the branch, the buffer of the transfer has no name: its bytes are needed to the end.
// expected-note @+1 {{and may be read when the function is done}}
func.func @out_of_sight(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  scf.if %c {
    // expected-note @+2 {{this is the other view}}
    // expected-note @+1 {{this is the view that it uses}}
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
    // expected-note @+2 {{it is written here}}
    // expected-note @+1 {{this work may still run}}
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  } else {
    memref.dma_start %far[%c0], %x[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  }
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  // expected-error @+1 {{deallocates an arena that work may still use}}
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Each task waits for that of the turn before, so no two of them run at once.
func.func @chained(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %first = async.execute { async.yield }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !async.token {
    %t = async.execute [%before] {
      memref.copy %x, %a : memref<64xf32> to memref<64xf32>
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %t : !async.token
  }
  async.await %last : !async.token
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @chained_in_the_task(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %first = async.execute { async.yield }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !async.token {
    %t = async.execute {
      async.await %before : !async.token
      memref.copy %x, %a : memref<64xf32> to memref<64xf32>
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %t : !async.token
  }
  async.await %last : !async.token
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @chained_by_a_group(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %first = async.execute { async.yield }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !async.token {
    %group = async.create_group %c1 : !async.group
    %k = async.add_to_group %before, %group : !async.token
    async.await_all %group
    %t = async.execute {
      memref.copy %x, %a : memref<64xf32> to memref<64xf32>
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %t : !async.token
  }
  async.await %last : !async.token
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

func.func @not_chained(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{the arena is made outside of it}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %first = async.execute { async.yield }
  // expected-note @+1 {{iterations of this may run at once}}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%before = %first) -> !async.token {
    %t = async.execute [%first] {
      // expected-error @+1 {{iterations that run at once write to the same bytes of an arena}}
      memref.copy %x, %a : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %t : !async.token
  }
  async.await %last : !async.token
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A wait for each of two transfers on one element.
func.func @one_after_another(%x: memref<64xf32>, %y: memref<64xf32>, %far: memref<64xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloc() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.dma_start %y[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// ... and one wait for two transfers: it may be told of the other one.
// expected-note @+1 {{and may be read when the function is done}}
func.func @two_at_once(%x: memref<64xf32>, %y: memref<64xf32>, %far: memref<64xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloc() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.dma_start %y[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  // expected-note @+1 {{it is written here}}
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  return
}

// -----

// ... but not of one that begins behind it.
func.func @begins_later(%x: memref<64xf32>, %y: memref<64xf32>, %far: memref<64xf32, 1>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloc() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^both
^two:
  cf.br ^both
^both:
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dma_start %y[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  return
}

// -----

// ... unless a loop comes back to the wait.
// expected-note @+1 {{and may be read when the function is done}}
func.func @begins_an_iteration_before(%x: memref<64xf32>, %y: memref<64xf32>, %far: memref<64xf32, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloc() : memref<1xi32>
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-note @+1 {{it is written here}}
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %x : memref<64xf32> to memref<64xf32>
    memref.dma_start %y[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  }
  return
}
