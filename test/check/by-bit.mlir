// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function that says by a bit whether it owns what it returns gives a clone where it does not: never its argument. That holds
// only where a clone is made.

// RUN: stowage-opt %s --check-arena-plan --verify-diagnostics --split-input-file -o /dev/null

func.func @either(%c: i1, %m: memref<4xf32>) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %new = memref.alloc() : memref<4xf32>
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  %own = scf.if %c -> memref<4xf32> {
    scf.yield %r : memref<4xf32>
  } else {
    %clone = memref.alloc() : memref<4xf32>
    memref.copy %r, %clone : memref<4xf32> to memref<4xf32>
    scf.yield %clone : memref<4xf32>
  } {stowage.by_bit}
  return %own : memref<4xf32>
}

// The result is freed, and read when other bytes lie where the argument was.
func.func @freed_by_caller(%x: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @either(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  %b = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %r, %b : memref<4xf32> to memref<4xf32>
  memref.copy %r, %x : memref<4xf32> to memref<4xf32>
  memref.copy %b, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// The argument is still a view: what is read of it must not be overwritten.
func.func @argument_lost(%x: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  // expected-note @below {{it is written here}}
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  // expected-note @below {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  // expected-error @below {{overwrites bytes 0 to 16 of an arena}}
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  // expected-note @below {{and read here}}
  %r = call @either(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// Nothing is cloned, so the result may be the argument.

func.func @not_cloned(%c: i1, %m: memref<4xf32>) -> memref<4xf32> {
  %new = memref.alloc() : memref<4xf32>
  %own = scf.if %c -> memref<4xf32> {
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  } {stowage.by_bit}
  return %own : memref<4xf32>
}

func.func @freed_by_caller(%x: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @not_cloned(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{deallocates an arena for the second time}}
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// No bit is spoken of, so the result may be the argument.

func.func @no_bit(%c: i1, %m: memref<4xf32>) -> memref<4xf32> {
  %own = scf.if %c -> memref<4xf32> {
    scf.yield %m : memref<4xf32>
  } else {
    %clone = memref.alloc() : memref<4xf32>
    memref.copy %m, %clone : memref<4xf32> to memref<4xf32>
    scf.yield %clone : memref<4xf32>
  }
  return %own : memref<4xf32>
}

func.func @freed_by_caller(%x: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @no_bit(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{deallocates an arena for the second time}}
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// What is made to be returned lies in an arena: the bit does not excuse that.

func.func @in_an_arena(%x: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %r = scf.if %c -> memref<4xf32> {
    %new = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
    memref.copy %x, %new : memref<4xf32> to memref<4xf32>
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  // expected-note @below {{this is the arena}}
  %own = scf.if %c -> memref<4xf32> {
    scf.yield %r : memref<4xf32>
  } else {
    %clone = memref.alloc() : memref<4xf32>
    memref.copy %r, %clone : memref<4xf32> to memref<4xf32>
    scf.yield %clone : memref<4xf32>
  } {stowage.by_bit}
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %arena : memref<16xi8>
  // expected-error @below {{uses an arena after it was deallocated}}
  return %own : memref<4xf32>
}
