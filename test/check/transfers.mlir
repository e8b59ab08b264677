// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --split-input-file --verify-diagnostics

// What a transfer takes must stay until it is waited for.
func.func @overwritten(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// What it writes is written by then.
func.func @arrives(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  // expected-note @+1 {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  // expected-note @+1 {{it is written here}}
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  // expected-error @+1 {{overwrites bytes 0 to 256 of an arena}}
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  // expected-note @+1 {{and read here}}
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.dealloc %arena : memref<256xi8>
  return
}

// -----

// Behind the wait the bytes are free, and memory may go.
func.func @behind(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
  %a = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %arena[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %arena : memref<256xi8>
  return
}
