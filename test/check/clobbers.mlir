// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// A write that lies between the write and the read of another view of the same bytes.

func.func @straight(%x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c32][] : memref<128xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-error @+1 {{overwrites bytes 32 to 64 of an arena, which hold what another view has yet to read}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  %r = memref.load %a[%i] : memref<16xf32>
  memref.dealloc %arena : memref<128xi8>
  return %r : f32
}

// -----

// Back around a loop.

func.func @loop(%x: f32, %i: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.for %k = %c0 to %n step %c1 {
    // expected-note @+1 {{and read here}}
    %r = memref.load %a[%i] : memref<16xf32>
    // expected-note @+1 {{this is the view that is written}}
    %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    // expected-error @+1 {{overwrites bytes 0 to 64}}
    linalg.fill ins(%r : f32) outs(%b : memref<16xf32>)
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// In one branch only, and through a block argument.

func.func @blocks(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  cf.cond_br %c, ^then, ^join(%a : memref<16xf32>)
^then:
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  cf.br ^join(%a : memref<16xf32>)
^join(%v: memref<16xf32>):
  // expected-note @+1 {{and read here}}
  %r = memref.load %v[%i] : memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// -----

// Both branches' views may be one value, but not while the other still is needed.

func.func @choice(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-note @+1 {{this is the view that is written}}
  %v = arith.select %c, %a, %b : memref<16xf32>
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  linalg.fill ins(%x : f32) outs(%v : memref<16xf32>)
  // expected-note @+1 {{and read here}}
  %r = memref.load %a[%i] : memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// -----

// Within one op: what it writes lies in the way of what it reads.

func.func @one_op(%x: f32, %m: memref<4x4xf32>, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %arena = memref.alloc() : memref<128xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<4x4xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c32][] : memref<128xi8> to memref<4x4xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<4x4xf32>)
  // expected-error @+2 {{overwrites bytes 32 to 64}}
  // expected-note @+1 {{and read here}}
  linalg.transpose ins(%a : memref<4x4xf32>) outs(%b : memref<4x4xf32>) permutation = [1, 0]
  %r = memref.load %b[%i, %i] : memref<4x4xf32>
  memref.dealloc %arena : memref<128xi8>
  return %r : f32
}

// -----

// An op of unknown effects reads and writes what it is given, and one op writes two views.

func.func private @unknown(memref<16xf32>)
func.func @call(%x: f32) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  // expected-error @+1 {{overwrites bytes 0 to 64}}
  func.call @unknown(%b) : (memref<16xf32>) -> ()
  // expected-note @+1 {{and read here}}
  func.call @unknown(%a) : (memref<16xf32>) -> ()
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

// Views of views, and bytes cut by subview and reinterpret_cast.

func.func @views_of_views(%x: f32, %y: i8, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %arena = memref.alloca() : memref<256xi8>
  %half = memref.subview %arena[128] [128] [1] : memref<256xi8> to memref<128xi8, strided<[1], offset: 128>>
  // expected-note @+1 {{this is the view that is written}}
  %flat = memref.reinterpret_cast %arena to offset: [128], sizes: [64], strides: [1] : memref<256xi8> to memref<64xi8, strided<[1], offset: 128>>
  %sub = memref.view %arena[%c16][] : memref<256xi8> to memref<200xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %sub[%c0][] : memref<200xi8> to memref<40xf32>
  // expected-note @+1 {{it is written here}}
  linalg.fill ins(%x : f32) outs(%a : memref<40xf32>)
  // expected-error @+1 {{overwrites bytes 128 to 176}}
  linalg.fill ins(%y : i8) outs(%flat : memref<64xi8, strided<[1], offset: 128>>)
  // expected-note @+1 {{and read here}}
  %r = memref.load %a[%i] : memref<40xf32>
  linalg.fill ins(%y : i8) outs(%half : memref<128xi8, strided<[1], offset: 128>>)
  return %r : f32
}

// -----

// A value that survives the iteration that made it, in bytes that the next one writes.

func.func @carried(%x: f32, %n: index, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %first = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%first : memref<16xf32>)
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%p = %first) -> memref<16xf32> {
    // expected-note @+2 {{this is the view that is written}}
    // expected-note @+1 {{this is the other view}}
    %v = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    // expected-note @+2 {{it is written here}}
    // expected-error @+1 {{overwrites bytes 0 to 64}}
    linalg.fill ins(%x : f32) outs(%v : memref<16xf32>)
    // expected-note @+1 {{and read here}}
    %r = memref.load %p[%i] : memref<16xf32>
    memref.store %r, %v[%i] : memref<16xf32>
    scf.yield %v : memref<16xf32>
  }
  memref.dealloc %arena : memref<128xi8>
  return
}
