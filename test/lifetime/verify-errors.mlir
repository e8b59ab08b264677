// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every rule, broken.

// RUN: stowage-opt %s --verify-lifetimes -split-input-file -verify-diagnostics

func.func @use_before_start(%x: f32) {
  %a = memref.alloca() : memref<f32>
  // expected-error @+1 {{'memref.store' uses memory before its life has begun on every path}}
  memref.store %x, %a[] : memref<f32>
  // expected-note @+1 {{it begins here}}
  lifetime.start %a : memref<f32>
  lifetime.end %a : memref<f32>
  return
}

// -----

func.func @use_after_end(%x: f32) {
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  // expected-note @+1 {{it ended here}}
  lifetime.end %a : memref<f32>
  // expected-error @+1 {{'memref.store' uses memory after its life has ended}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

// The use is of another name.
func.func @use_of_a_view_after_end(%x: f32, %out: memref<4xf32>) {
  %a = memref.alloca() : memref<8xf32>
  %l = lifetime.start %a : memref<8xf32>
  %s = memref.subview %l[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  // expected-note @+1 {{it ended here}}
  lifetime.end %l : memref<8xf32>
  // expected-error @+1 {{'memref.copy' uses memory after its life has ended}}
  memref.copy %s, %out : memref<4xf32, strided<[1]>> to memref<4xf32>
  return
}

// -----

func.func @start_on_one_path(%c: i1, %x: f32) {
  %a = memref.alloca() : memref<f32>
  scf.if %c {
    // expected-note @+1 {{it begins here}}
    lifetime.start %a : memref<f32>
  }
  // expected-error @+1 {{'memref.store' uses memory before its life has begun on every path}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

func.func @end_on_one_path(%c: i1, %x: f32) {
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  cf.cond_br %c, ^early, ^late
^early:
  // expected-note @+1 {{it ended here}}
  lifetime.end %a : memref<f32>
  cf.br ^late
^late:
  // expected-error @+1 {{'memref.store' uses memory after its life has ended}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

func.func @end_without_start(%a: memref<f32>) {
  // expected-error @+1 {{ends a life that has not begun on every path}}
  lifetime.end %a : memref<f32>
  return
}

// -----

func.func @double_end(%c: i1) {
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  scf.if %c {
    // expected-note @+1 {{it ended here}}
    lifetime.end %a : memref<f32>
  }
  // expected-error @+1 {{ends a life that has ended already}}
  lifetime.end %a : memref<f32>
  return
}

// -----

func.func @double_start() {
  %a = memref.alloca() : memref<f32>
  // expected-note @+1 {{it began here}}
  lifetime.start %a : memref<f32>
  // expected-error @+1 {{begins a life that has begun already}}
  lifetime.start %a : memref<f32>
  return
}

// -----

func.func @double_start_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+2 {{begins a life that has begun already}}
    // expected-note @+1 {{it began here}}
    %l = lifetime.start %a : memref<f32>
  }
  return
}

// -----

func.func @end_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+2 {{ends a life that has ended already}}
    // expected-note @+1 {{it ended here}}
    lifetime.end %a : memref<f32>
  }
  return
}

// -----

func.func @overlap_in_the_whole(%x: f32) {
  %a = memref.alloca() : memref<f32>
  // expected-note @+1 {{the other one begins here}}
  %l = lifetime.start %a : memref<f32>
  // expected-error @+1 {{begins a life in bytes in which another one lasts}}
  %m = lifetime.start %a : memref<f32>
  memref.store %x, %m[] : memref<f32>
  lifetime.end %m : memref<f32>
  lifetime.end %l : memref<f32>
  return
}

// -----

func.func @overlap_of_views(%x: f32) {
  %c0 = arith.constant 0 : index
  %c12 = arith.constant 12 : index
  %a = memref.alloca() : memref<64xi8>
  %v = memref.view %a[%c0][] : memref<64xi8> to memref<4xf32>
  %w = memref.view %a[%c12][] : memref<64xi8> to memref<4xf32>
  // expected-note @+1 {{the other one begins here}}
  lifetime.start %v : memref<4xf32>
  // expected-error @+1 {{begins a life in bytes in which another one lasts}}
  lifetime.start %w : memref<4xf32>
  return
}

// -----

// What cannot be shown to be apart may overlap.
func.func @overlap_at_unknown_offsets(%i: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<64xi8>
  %v = memref.view %a[%c0][] : memref<64xi8> to memref<4xf32>
  %w = memref.view %a[%i][] : memref<64xi8> to memref<4xf32>
  // expected-note @+1 {{the other one begins here}}
  lifetime.start %v : memref<4xf32>
  // expected-error @+1 {{begins a life in bytes in which another one lasts}}
  lifetime.start %w : memref<4xf32>
  return
}

// -----

func.func @end_after_dealloc() {
  %a = memref.alloc() : memref<f32>
  lifetime.start %a : memref<f32>
  // expected-note @+1 {{it was freed here}}
  memref.dealloc %a : memref<f32>
  // expected-error @+1 {{ends a life after its buffer was freed}}
  lifetime.end %a : memref<f32>
  return
}

// -----

func.func @start_after_dealloc() {
  %a = memref.alloc() : memref<f32>
  // expected-note @+1 {{it was freed here}}
  memref.dealloc %a : memref<f32>
  // expected-error @+1 {{begins a life after its buffer was freed}}
  lifetime.start %a : memref<f32>
  return
}

// -----

func.func @use_after_dealloc(%x: f32) {
  %a = memref.alloc() : memref<f32>
  lifetime.start %a : memref<f32>
  // expected-note @+1 {{it was freed here}}
  memref.dealloc %a : memref<f32>
  // expected-error @+1 {{'memref.store' uses memory after it was freed}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

func.func @at_once(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  // expected-note @+1 {{the region is here}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-error @+1 {{is in a region that may run at once with itself, and its buffer is outside}}
    lifetime.start %a : memref<f32>
    memref.store %x, %a[] : memref<f32>
    lifetime.end %a : memref<f32>
  }
  return
}

// -----

func.func @plain_name(%x: f32) {
  %a = memref.alloca() : memref<f32>
  // expected-note @+1 {{a life in these bytes begins here}}
  %l = lifetime.start %a : memref<f32>
  memref.store %x, %a[] : memref<f32>
  lifetime.end %l : memref<f32>
  // expected-error @+1 {{'memref.store' uses memory in which no life lasts}}
  memref.store %x, %a[] : memref<f32>
  return
}

// -----

func.func @returned() -> memref<f32> {
  %a = memref.alloc() : memref<f32>
  lifetime.start %a : memref<f32>
  // expected-note @+1 {{it ended here}}
  lifetime.end %a : memref<f32>
  // expected-error @+1 {{'func.return' uses memory after its life has ended}}
  return %a : memref<f32>
}

// -----

// A value that a loop carries is the buffer by another name.
func.func @carried(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<f32>
  %b = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  lifetime.start %b : memref<f32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<f32>, memref<f32>) {
    memref.store %x, %p[] : memref<f32>
    scf.yield %q, %p : memref<f32>, memref<f32>
  }
  // expected-note @+1 {{it ended here}}
  lifetime.end %b : memref<f32>
  // expected-error @+1 {{'memref.store' uses memory after its life has ended}}
  memref.store %x, %r#0[] : memref<f32>
  lifetime.end %a : memref<f32>
  return
}

// -----

func.func private @unknown(memref<f32>)

func.func @unknown_call() {
  %a = memref.alloca() : memref<f32>
  lifetime.start %a : memref<f32>
  // expected-note @+1 {{it ended here}}
  lifetime.end %a : memref<f32>
  // expected-error @+1 {{'func.call' uses memory after its life has ended}}
  call @unknown(%a) : (memref<f32>) -> ()
  return
}

// -----

func.func @result_of_an_if(%c: i1, %a: memref<f32>, %b: memref<f32>, %x: f32) {
  %r = scf.if %c -> memref<f32> {
    scf.yield %a : memref<f32>
  } else {
    scf.yield %b : memref<f32>
  }
  // expected-error @+1 {{'memref.store' uses memory before its life has begun on every path}}
  memref.store %x, %r[] : memref<f32>
  // expected-note @+1 {{it begins here}}
  lifetime.start %r : memref<f32>
  return
}

// -----

// bufferization.dealloc frees where its bit is surely set, and what it retains is surely not the buffer.

func.func @freed_by_bit(%x: f32, %other: memref<f32>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<f32>
  %b = memref.alloc() : memref<f32>
  lifetime.start %a : memref<f32>
  memref.store %x, %a[] : memref<f32>
  // expected-note @+1 {{it was freed here}}
  %0 = bufferization.dealloc (%a : memref<f32>) if (%true) retain (%b : memref<f32>)
  // expected-error @+1 {{'memref.load' uses memory after it was freed}}
  %1 = memref.load %a[] : memref<f32>
  return
}
