// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// What is right stays without a word: any diagnostic would fail this test.

// One after the other, in the same bytes; and one view used again on purpose.
func.func @in_turn(%x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<8xf64>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  %y = arith.extf %r : f32 to f64
  linalg.fill ins(%y : f64) outs(%b : memref<8xf64>)
  %q = memref.load %b[%i] : memref<8xf64>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %s = memref.load %a[%i] : memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return %s : f32
}

// A hole in a life: it is written anew as a whole before it is read.
func.func @hole(%x: f32, %i: index, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  memref.copy %m, %a : memref<16xf32> to memref<16xf32>
  %r = memref.load %a[%i] : memref<16xf32>
  linalg.fill ins(%r : f32) outs(%b : memref<16xf32>)
  %q = memref.load %b[%i] : memref<16xf32>
  %low = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %high = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  linalg.fill ins(%q : f32) outs(%low : memref<8xf32, strided<[1]>>)
  linalg.fill ins(%r : f32) outs(%high : memref<8xf32, strided<[1], offset: 8>>)
  memref.copy %a, %m : memref<16xf32> to memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return
}

// Branches exclude each other, also where one value stands for what either made.
func.func @branches(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %z = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%z : memref<16xf32>)
  %v = scf.if %c -> memref<16xf32> {
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    scf.yield %a : memref<16xf32>
  } else {
    %b = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    scf.yield %b : memref<16xf32>
  }
  %w = scf.if %c -> memref<16xf32> {
    scf.yield %z : memref<16xf32>
  } else {
    scf.yield %v : memref<16xf32>
  }
  memref.store %x, %v[%i] : memref<16xf32>
  memref.store %x, %w[%i] : memref<16xf32>
  memref.store %x, %v[%i] : memref<16xf32>
  %r = memref.load %w[%i] : memref<16xf32>
  %q = memref.load %v[%i] : memref<16xf32>
  %s = arith.addf %r, %q : f32
  memref.dealloc %arena : memref<128xi8>
  return %s : f32
}

// What a choice may be, but is not on the path that matters.
func.func @choice(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  %w = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  cf.cond_br %c, ^join(%a : memref<16xf32>), ^join(%b : memref<16xf32>)
^join(%v: memref<16xf32>):
  linalg.fill ins(%x : f32) outs(%w : memref<16xf32>)
  %r = memref.load %v[%i] : memref<16xf32>
  memref.dealloc %arena : memref<128xi8>
  return %r : f32
}

// Two buffers that change places in a loop, and a temporary of each iteration.
func.func @swap(%x: f32, %i: index, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %arena = memref.alloc() : memref<192xi8>
  %a = memref.view %arena[%c0][] : memref<192xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<192xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<16xf32>, memref<16xf32>) {
    %t = memref.view %arena[%c128][] : memref<192xi8> to memref<16xf32>
    %u = memref.view %arena[%c128][] : memref<192xi8> to memref<16xf32>
    memref.store %x, %t[%k] : memref<16xf32>
    %y = memref.load %t[%i] : memref<16xf32>
    linalg.fill ins(%y : f32) outs(%u : memref<16xf32>)
    memref.copy %p, %q : memref<16xf32> to memref<16xf32>
    scf.yield %q, %p : memref<16xf32>, memref<16xf32>
  }
  %l = memref.load %r#0[%i] : memref<16xf32>
  memref.dealloc %arena : memref<192xi8>
  return %l : f32
}

// Partial writes, with the bytes of another view in between the iterations of a loop.
func.func @partial(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<64xi8>
  scf.for %k = %c0 to %n step %c1 {
    %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    scf.for %j = %c0 to %n step %c1 {
      memref.store %x, %a[%j] : memref<16xf32>
    }
    %r = memref.load %a[%k] : memref<16xf32>
    %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
    linalg.fill ins(%r : f32) outs(%b : memref<16xf32>)
    %q = memref.load %b[%k] : memref<16xf32>
  }
  memref.dealloc %arena : memref<64xi8>
  return
}

// The same bytes as other types.
func.func @casts(%x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<4x4xf32>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  %f = memref.collapse_shape %a [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  linalg.fill ins(%x : f32) outs(%t : memref<4x4xf32, strided<[1, 4]>>)
  memref.store %x, %f[%i] : memref<16xf32>
  %r = memref.load %a[%i, %i] : memref<4x4xf32>
  memref.dealloc %arena : memref<64xi8>
  return %r : f32
}

// Bytes that are data, not an arena: overlapping subviews are what the program wants.
func.func @data(%m: memref<64xi8>, %x: i8, %i: index) -> i8 {
  %low = memref.subview %m[0] [40] [1] : memref<64xi8> to memref<40xi8, strided<[1]>>
  %high = memref.subview %m[20] [40] [1] : memref<64xi8> to memref<40xi8, strided<[1], offset: 20>>
  linalg.fill ins(%x : i8) outs(%low : memref<40xi8, strided<[1]>>)
  linalg.fill ins(%x : i8) outs(%high : memref<40xi8, strided<[1], offset: 20>>)
  %r = memref.load %low[%i] : memref<40xi8, strided<[1]>>
  memref.store %r, %m[%i] : memref<64xi8>
  return %r : i8
}

// What one branch passes to a block is no argument of another: the function returns what it made,
// and the bytes of what it was given are free after the call.
func.func private @made(%given: memref<16xf32>, %again: i1) -> memref<16xf32> {
  cf.br ^loop(%given : memref<16xf32>)
^loop(%name: memref<16xf32>):
  %made = memref.alloc() : memref<16xf32>
  cf.cond_br %again, ^other, ^end(%made : memref<16xf32>)
^other:
  cf.br ^end(%made : memref<16xf32>)
^end(%result: memref<16xf32>):
  return %result : memref<16xf32>
}

func.func @returns_what_it_made(%x: f32, %i: index, %again: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<64xi8>
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  %made = func.call @made(%a, %again) : (memref<16xf32>, i1) -> memref<16xf32>
  %b = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  %r = memref.load %made[%i] : memref<16xf32>
  %s = memref.load %b[%i] : memref<16xf32>
  %sum = arith.addf %r, %s : f32
  return %sum : f32
}
