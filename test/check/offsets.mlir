// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// Views at offsets known only at run time.

// The bytes that a gpu.launch gives a workgroup are an arena. No operand of the launch is it.

func.func @workgroup(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
             workgroup(%arena : memref<271xi8, #gpu.address_space<workgroup>>) {
    %c0 = arith.constant 0 : index
    %c15 = arith.constant 15 : index
    %address = memref.extract_aligned_pointer_as_index %arena
        : memref<271xi8, #gpu.address_space<workgroup>> -> index
    %negative = arith.subi %c0, %address : index
    %start = arith.andi %negative, %c15 : index
    %a = memref.view %arena[%start][] : memref<271xi8, #gpu.address_space<workgroup>>
        to memref<64xf32, #gpu.address_space<workgroup>>
    %b = memref.view %arena[%start][] : memref<271xi8, #gpu.address_space<workgroup>>
        to memref<64xf32, #gpu.address_space<workgroup>>
    // expected-note @-4 {{this is the other view}}
    // expected-note @-3 {{this is the view that is written}}
    // expected-note @+1 {{it is written here}}
    memref.store %x, %a[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    // expected-error @+1 {{overwrites bytes of an arena}}
    memref.store %x, %b[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    // expected-note @+1 {{and read here}}
    %r = memref.load %a[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %r, %b[%tx] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.terminator
  }
  return
}

// -----

// A slice per iteration, in a slice per iteration: it lies within its source, beside %keep.

func.func @slices_in_slices(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c320 = arith.constant 320 : index
  %arena = memref.alloc() : memref<2560xi8>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %at = arith.muli %i, %c320 : index
    %mine = memref.view %arena[%at][] : memref<2560xi8> to memref<320xi8>
    %keep = memref.view %mine[%c256][] : memref<320xi8> to memref<16xf32>
    memref.store %x, %keep[%c0] : memref<16xf32>
    %inner = memref.view %mine[%c0][] : memref<320xi8> to memref<256xi8>
    scf.forall (%j) in (4) {
      %start = arith.muli %j, %c64 : index
      %slice = memref.view %inner[%start][] : memref<256xi8> to memref<64xi8>
      %a = memref.view %slice[%c0][] : memref<64xi8> to memref<16xf32>
      %v = memref.load %keep[%j] : memref<16xf32>
      memref.store %v, %a[%c0] : memref<16xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<2560xi8>
  return
}

// -----

// The source of the slices reaches into %keep, so the slices may, too.

func.func @slices_too_far(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %c320 = arith.constant 320 : index
  %arena = memref.alloc() : memref<2560xi8>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %at = arith.muli %i, %c320 : index
    %mine = memref.view %arena[%at][] : memref<2560xi8> to memref<320xi8>
    // expected-note @+1 {{this is the other view}}
    %keep = memref.view %mine[%c192][] : memref<320xi8> to memref<16xf32>
    // expected-note @+1 {{it is written here}}
    memref.store %x, %keep[%c0] : memref<16xf32>
    %inner = memref.view %mine[%c0][] : memref<320xi8> to memref<256xi8>
    scf.forall (%j) in (4) {
      %start = arith.muli %j, %c64 : index
      %slice = memref.view %inner[%start][] : memref<256xi8> to memref<64xi8>
      // expected-note @+1 {{this is the view that is written}}
      %a = memref.view %slice[%c0][] : memref<64xi8> to memref<16xf32>
      // expected-note @+1 {{and read here}}
      %v = memref.load %keep[%j] : memref<16xf32>
      // expected-error @+1 {{overwrites bytes of an arena}}
      memref.store %v, %a[%c0] : memref<16xf32>
    }
    scf.reduce
  }
  memref.dealloc %arena : memref<2560xi8>
  return
}

// -----

// The bounds of the loop keep the slices of %a in the first 256 bytes, and those of %b behind them.

func.func @two_slices(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %arena = memref.alloc() : memref<704xi8>
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %at = arith.muli %i, %c64 : index
    %a = memref.view %arena[%at][] : memref<704xi8> to memref<16xf32>
    %wide = arith.muli %i, %c128 : index
    %behind = arith.addi %wide, %c256 : index
    %b = memref.view %arena[%behind][] : memref<704xi8> to memref<16xf32>
    memref.store %x, %a[%c0] : memref<16xf32>
    memref.store %x, %b[%c0] : memref<16xf32>
    %r = memref.load %a[%c0] : memref<16xf32>
    memref.store %r, %b[%c1] : memref<16xf32>
    scf.reduce
  }
  memref.dealloc %arena : memref<704xi8>
  return
}

// -----

// One iteration more, and the last slice of %a is the first one of %b.

func.func @two_slices_that_meet(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %arena = memref.alloc() : memref<832xi8>
  scf.forall (%i) in (5) {
    %at = arith.muli %i, %c64 : index
    // expected-note @+1 {{this is the other view}}
    %a = memref.view %arena[%at][] : memref<832xi8> to memref<16xf32>
    %wide = arith.muli %i, %c128 : index
    %behind = arith.addi %wide, %c256 : index
    // expected-note @+1 {{this is the view that is written}}
    %b = memref.view %arena[%behind][] : memref<832xi8> to memref<16xf32>
    // expected-note @+1 {{it is written here}}
    memref.store %x, %a[%c0] : memref<16xf32>
    // expected-error @+1 {{overwrites bytes of an arena}}
    memref.store %x, %b[%c0] : memref<16xf32>
    // expected-note @+1 {{and read here}}
    %r = memref.load %a[%c0] : memref<16xf32>
    memref.store %r, %b[%c1] : memref<16xf32>
  }
  memref.dealloc %arena : memref<832xi8>
  return
}

// -----

// Bounds through a difference and a quotient: every third number from 2 on, in turn.

func.func @in_steps(%x: f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %arena = memref.alloc() : memref<320xi8>
  %keep = memref.view %arena[%c256][] : memref<320xi8> to memref<16xf32>
  memref.store %x, %keep[%c0] : memref<16xf32>
  scf.for %i = %c2 to %c14 step %c3 {
    %distance = arith.subi %i, %c2 : index
    %turn = arith.divui %distance, %c3 : index
    %at = arith.muli %turn, %c64 : index
    %a = memref.view %arena[%at][] : memref<320xi8> to memref<16xf32>
    %r = memref.load %keep[%c0] : memref<16xf32>
    memref.store %r, %a[%c0] : memref<16xf32>
  }
  %r = memref.load %keep[%c0] : memref<16xf32>
  memref.dealloc %arena : memref<320xi8>
  return
}

// -----

// Bytes 64 behind one iteration's offset are the next iteration's own.

func.func @carried(%x: f32, %y: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<1024xi8>
  %init = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%init : memref<16xf32>)
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %init) -> (memref<16xf32>) {
    %at = arith.muli %i, %c64 : index
    %behind = arith.addi %at, %c64 : index
    // expected-note @+1 {{this is the view that is written}}
    %a = memref.view %arena[%at][] : memref<1024xi8> to memref<16xf32>
    // expected-note @+1 {{this is the other view}}
    %b = memref.view %arena[%behind][] : memref<1024xi8> to memref<16xf32>
    // expected-error @+1 {{overwrites bytes of an arena}}
    linalg.fill ins(%y : f32) outs(%a : memref<16xf32>)
    // expected-note @+1 {{and read here}}
    %r = memref.load %p[%c0] : memref<16xf32>
    // expected-note @+1 {{it is written here}}
    linalg.fill ins(%r : f32) outs(%b : memref<16xf32>)
    scf.yield %b : memref<16xf32>
  }
  %r = memref.load %last[%c0] : memref<16xf32>
  memref.dealloc %arena : memref<1024xi8>
  return %r : f32
}

// -----

// What a loop carries within a slice made before it stays where it is.

func.func @carried_in_a_slice(%x: f32, %start: index, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %arena = memref.alloc() : memref<1024xi8>
  %mine = memref.view %arena[%start][] : memref<1024xi8> to memref<192xi8>
  %a = memref.view %mine[%c0][] : memref<192xi8> to memref<16xf32>
  %b = memref.view %mine[%c64][] : memref<192xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<16xf32>, memref<16xf32>) {
    %t = memref.view %mine[%c128][] : memref<192xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%t : memref<16xf32>)
    %y = memref.load %t[%c0] : memref<16xf32>
    memref.copy %p, %q : memref<16xf32> to memref<16xf32>
    memref.store %y, %q[%c0] : memref<16xf32>
    scf.yield %q, %p : memref<16xf32>, memref<16xf32>
  }
  %l = memref.load %r#0[%c0] : memref<16xf32>
  memref.dealloc %arena : memref<1024xi8>
  return %l : f32
}
