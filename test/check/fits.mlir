// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics -o /dev/null

func.func @outside(%x: f32) {
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{it is cut from this}}
  %arena = memref.alloc() : memref<64xi8>
  // expected-error @+1 {{bytes 4 to 68 of 64: the view leaves its arena}}
  %a = memref.view %arena[%c4][] : memref<64xi8> to memref<16xf32>
  memref.dealloc %arena : memref<64xi8>
  return
}

// -----

func.func @outside_of_a_view(%x: f32) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %arena = memref.alloc() : memref<128xi8>
  // expected-note @+1 {{it is cut from this}}
  %half = memref.view %arena[%c0][] : memref<128xi8> to memref<64xi8>
  // expected-error @+1 {{bytes 32 to 96 of 64: the view leaves its source}}
  %a = memref.view %half[%c32][] : memref<64xi8> to memref<16xf32>
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

func.func @unaligned(%x: f32) {
  %c4 = arith.constant 4 : index
  // expected-note @+1 {{the arena is this}}
  %arena = memref.alloc() : memref<128xi8>
  // expected-error @+1 {{offset 4 is not a multiple of 8, which the element type asks for}}
  %a = memref.view %arena[%c4][] : memref<128xi8> to memref<8xf64>
  %b = memref.view %arena[%c4][] : memref<128xi8> to memref<8xf32>
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

func.func @vectors(%x: f32) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the arena is this}}
  %arena = memref.alloc() {alignment = 16 : i64} : memref<128xi8>
  // expected-error @+1 {{the arena is aligned to 16 bytes, not to 32, which the element type asks for}}
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<2xvector<8xf32>>
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

func.func @promised(%x: f32) {
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{the arena is this}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %a = memref.view %arena[%c16][] : memref<128xi8> to memref<8xf32>
  // expected-error @+1 {{offset 16 is not a multiple of 32, which is promised here}}
  %b = memref.assume_alignment %a, 32 : memref<8xf32>
  %c = memref.assume_alignment %a, 16 : memref<8xf32>
  memref.dealloc %arena : memref<128xi8>
  return
}
