// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics

// Arenas that a function is given, and those that a callback lends.

func.func private @take(index, index) -> (memref<?xi8> {stowage.borrowed})
func.func private @give_back(memref<?xi8>)

func.func @lent_twice(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %arena = call @take(%c512, %c64) : (index, index) -> memref<?xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena, which hold what another view has yet to read}}
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  // expected-note @+1 {{and read here}}
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  call @give_back(%arena) : (memref<?xi8>) -> ()
  return
}

// -----

func.func private @take(index, index) -> (memref<?xi8> {stowage.borrowed})
func.func private @give_back(memref<?xi8>)

func.func @used_after(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  // expected-note @+1 {{this is the arena}}
  %arena = call @take(%c256, %c64) : (index, index) -> memref<?xi8>
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  // expected-note @+1 {{deallocated here}}
  call @give_back(%arena) : (memref<?xi8>) -> ()
  // expected-error @+1 {{uses an arena after it was deallocated}}
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// What a function is promised of its argument, each call of it must keep.

func.func private @leaf(%x: memref<64xf32>, %frame: memref<256xi8>) {
  %c0 = arith.constant 0 : index
  %arena = memref.assume_alignment %frame, 64 : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

func.func @misaligned(%x: memref<64xf32>) {
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the arena is this}}
  %arena = memref.alloc() {alignment = 16} : memref<320xi8>
  %good = memref.view %arena[%c64][] : memref<320xi8> to memref<256xi8>
  %bad = memref.view %arena[%c32][] : memref<320xi8> to memref<256xi8>
  // expected-error @+1 {{the arena is aligned to 16 bytes, not to 64, which the function called is promised}}
  call @leaf(%x, %good) : (memref<64xf32>, memref<256xi8>) -> ()
  // expected-error @+1 {{offset 32 is not a multiple of 64, which the function called is promised}}
  call @leaf(%x, %bad) : (memref<64xf32>, memref<256xi8>) -> ()
  memref.dealloc %arena : memref<320xi8>
  return
}
