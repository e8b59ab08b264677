// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a function that calls itself returns is followed through the call: @fresh gives a new buffer,
// so its dealloc frees no arena. @either may give its second argument, and does not say when. A call of a
// constant is one of the function that it names; an address from elsewhere may be any function's.

// RUN: stowage-opt %s --check-arena-plan --verify-diagnostics --split-input-file

func.func private @fresh(%a: memref<4xf32>, %n: i1) -> memref<4xf32> {
  %r = scf.if %n -> memref<4xf32> {
    %false = arith.constant false
    %inner = func.call @fresh(%a, %false) : (memref<4xf32>, i1) -> memref<4xf32>
    scf.yield %inner : memref<4xf32>
  } else {
    %new = memref.alloc() : memref<4xf32>
    scf.yield %new : memref<4xf32>
  }
  return %r : memref<4xf32>
}

func.func @frees_new(%x: memref<4xf32>, %n: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @fresh(%a, %n) : (memref<4xf32>, i1) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @either(%a: memref<4xf32>, %b: memref<4xf32>, %n: i1) -> memref<4xf32> {
  %r = scf.if %n -> memref<4xf32> {
    %false = arith.constant false
    %inner = func.call @either(%b, %a, %false) : (memref<4xf32>, memref<4xf32>, i1) -> memref<4xf32>
    scf.yield %inner : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  return %r : memref<4xf32>
}

func.func @frees_argument(%x: memref<4xf32>, %y: memref<4xf32>, %n: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %b = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  %r = call @either(%y, %b, %n) : (memref<4xf32>, memref<4xf32>, i1) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %b, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// Of several values that a region yields each result is one: @second gives a new buffer.
func.func private @second(%a: memref<4xf32>) -> memref<4xf32> {
  %r:2 = scf.execute_region -> (memref<4xf32>, memref<4xf32>) {
    %new = memref.alloc() : memref<4xf32>
    scf.yield %a, %new : memref<4xf32>, memref<4xf32>
  }
  return %r#1 : memref<4xf32>
}

func.func @frees_second(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @second(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// What a loop carries in the other place is no result of this one, and what it carries in its own is.
func.func private @carried(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %p, %q : memref<4xf32>, memref<4xf32>
  }
  return %r#1 : memref<4xf32>
}

func.func @writes_carried(%x: memref<4xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %arena[%c16][] : memref<32xi8> to memref<4xf32>
  %b = memref.view %arena[%c0][] : memref<32xi8> to memref<4xf32>
  // expected-note @below {{it is written here}}
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  %r = call @carried(%b, %a, %n) : (memref<4xf32>, memref<4xf32>, index) -> memref<4xf32>
  // expected-note @below {{this is the view that is written}}
  %c = memref.view %arena[%c16][] : memref<32xi8> to memref<4xf32>
  // expected-error @below {{overwrites bytes 16 to 32 of an arena}}
  linalg.fill ins(%f : f32) outs(%c : memref<4xf32>)
  // expected-note @below {{and read here}}
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<32xi8>
  return
}

// -----

func.func private @copied(%a: memref<4xf32>) -> memref<4xf32> {
  %new = memref.alloc() : memref<4xf32>
  memref.copy %a, %new : memref<4xf32> to memref<4xf32>
  return %new : memref<4xf32>
}

func.func @frees_new_by_address(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %f = constant @copied : (memref<4xf32>) -> memref<4xf32>
  %r = call_indirect %f(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @given(%a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
  return %b : memref<4xf32>
}

func.func @frees_argument_by_address(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %f = constant @given : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %r = call_indirect %f(%x, %a) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @copied(%a: memref<4xf32>) -> memref<4xf32> {
  %new = memref.alloc() : memref<4xf32>
  return %new : memref<4xf32>
}

func.func private @same(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}

func.func @one_of_two(%x: memref<4xf32>, %b: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %f = constant @copied : (memref<4xf32>) -> memref<4xf32>
  %g = constant @same : (memref<4xf32>) -> memref<4xf32>
  %h = arith.select %b, %f, %g : (memref<4xf32>) -> memref<4xf32>
  %r = call_indirect %h(%a) : (memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}
