// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

func.func @used_after(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.if %c {
    // expected-note @+1 {{it is deallocated here}}
    memref.dealloc %arena : memref<64xi8>
  }
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

// -----

func.func @freed_twice(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  cf.cond_br %c, ^free, ^end
^free:
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %arena : memref<64xi8>
  cf.br ^end
^end:
  // expected-error @+1 {{deallocates an arena for the second time}}
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// -----

func.func @returned(%x: f32) -> memref<16xf32> {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{this is the arena}}
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %arena : memref<64xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  return %a : memref<16xf32>
}

// -----

// One of two arenas is freed; the view may be of that one.

func.func @one_of_two(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %one = memref.alloc() : memref<64xi8>
  %two = memref.alloc() : memref<64xi8>
  %a = memref.view %one[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %two[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the arena}}
  %v = arith.select %c, %a, %b : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%v : memref<16xf32>)
  // expected-note @+1 {{it is deallocated here}}
  memref.dealloc %one : memref<64xi8>
  // expected-error @+1 {{uses an arena after it was deallocated}}
  %r = memref.load %v[%i] : memref<16xf32>
  memref.dealloc %two : memref<64xi8>
  return %r : f32
}

// -----

// Each iteration has an arena of its own.

func.func @each(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %arena = memref.alloc() : memref<64xi8>
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    %r = memref.load %a[%i] : memref<16xf32>
    memref.dealloc %arena : memref<64xi8>
  }
  return
}
