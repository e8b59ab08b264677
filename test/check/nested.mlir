// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

// An arena in an arena: what the one slice of it holds is held by that slice, and not by the bytes
// that all are cut from.
func.func @arena_in_an_arena(%x: i64, %n: index, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  scf.for %i = %c0 to %n step %c1 {
    %inner = memref.view %arena[%c64][] : memref<128xi8> to memref<64xi8>
    %a = memref.view %inner[%c0][] : memref<64xi8> to memref<8xi64>
    %b = memref.view %inner[%c0][] : memref<64xi8> to memref<8xi64>
    linalg.fill ins(%x : i64) outs(%a : memref<8xi64>)
    %y = memref.load %a[%c1] : memref<8xi64>
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %y, %b[%j] : memref<8xi64>
    }
    %z = memref.load %b[%c1] : memref<8xi64>
    memref.store %z, %out[%i] : memref<?xi64>
  }
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

func.func @outside_loop(%x: i64, %n: index, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %inner = memref.view %arena[%c64][] : memref<128xi8> to memref<64xi8>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.view %inner[%c0][] : memref<64xi8> to memref<8xi64>
    %b = memref.view %inner[%c0][] : memref<64xi8> to memref<8xi64>
    linalg.fill ins(%x : i64) outs(%a : memref<8xi64>)
    %y = memref.load %a[%c1] : memref<8xi64>
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %y, %b[%j] : memref<8xi64>
    }
    %z = memref.load %b[%c1] : memref<8xi64>
    memref.store %z, %out[%i] : memref<?xi64>
  }
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

// Another slice of the outer arena writes to the inner one's bytes.
func.func @inner_written_over(%x: i64, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %inner = memref.view %arena[%c64][] : memref<128xi8> to memref<64xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %inner[%c32][] : memref<64xi8> to memref<4xi64>
  // expected-note @below {{it is written here}}
  linalg.fill ins(%x : i64) outs(%a : memref<4xi64>)
  // expected-note @below {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<128xi8> to memref<16xi64>
  // expected-error @below {{overwrites bytes 96 to 128 of an arena}}
  linalg.fill ins(%x : i64) outs(%b : memref<16xi64>)
  // expected-note @below {{and read here}}
  %z = memref.load %a[%c1] : memref<4xi64>
  memref.store %z, %out[%c0] : memref<?xi64>
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

// Bytes of an arena that are filled as a whole are a buffer: views cut from them may overlap, one of
// unknown size as well.
func.func @filled_bytes(%x: i8, %m: memref<2x2xf64>, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %arena = memref.alloc() : memref<96xi8>
  %bytes = memref.view %arena[%c0][] : memref<96xi8> to memref<43xi8>
  linalg.fill ins(%x : i8) outs(%bytes : memref<43xi8>)
  %a = memref.view %bytes[%c0][] : memref<43xi8> to memref<2x2xf64>
  %b = memref.view %bytes[%c0][%c2] : memref<43xi8> to memref<?x1xi64>
  memref.copy %m, %a : memref<2x2xf64> to memref<2x2xf64>
  %y = memref.load %b[%c0, %c0] : memref<?x1xi64>
  memref.store %y, %out[%c0] : memref<?xi64>
  memref.dealloc %arena : memref<96xi8>
  return
}
