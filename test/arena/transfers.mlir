// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A memref.dma_start uses its buffers until the wait behind it, on the same element of the tag; where
// it is not certain which wait that is, they are left alone.

// RUN: stowage-opt %s --split-input-file --merge-alloc --check-arena-plan --remarks-filter-missed=merge-alloc 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID < %t
// RUN: stowage-opt %s --split-input-file --merge-alloc=poison --check-arena-plan -o /dev/null
// RUN: stowage-opt %s --split-input-file --insert-lifetimes --verify-lifetimes --merge-alloc --check-arena-plan | FileCheck %s

// CHECK-LABEL: func.func @waited(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
func.func @waited(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.dma_start %a[%c0], %far[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %c : memref<64xf32> to memref<64xf32>
  memref.copy %c, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %c : memref<64xf32>
  return
}

// Markers change nothing.
// CHECK-LABEL: func.func @marked(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref.alloc()
// CHECK-NOT: lifetime
func.func @marked(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  lifetime.start %a : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %a : memref<64xf32>
  lifetime.start %b : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %b : memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

// Two transfers at once, on two elements of a tag, in a loop.
// CHECK-LABEL: func.func @two_elements(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
func.func @two_elements(%x: memref<64xf32>, %far: memref<64xf32, 1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloca() : memref<2xi32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
    memref.dma_start %far[%c0], %b[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
    memref.dma_wait %tag[%c0], %c64 : memref<2xi32>
    memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  }
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.copy %x, %c : memref<64xf32> to memref<64xf32>
  memref.copy %c, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %c : memref<64xf32>
  return
}

// Two halves of a buffer in turn: what begins in one iteration is waited for in the next, whatever part of the source it was.
// CHECK-LABEL: func.func @in_turn(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
func.func @in_turn(%x: memref<64xf32>, %far: memref<8x64xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %tag = memref.alloca() : memref<1xi32>
  %a = memref.alloc() : memref<2x64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0, %c0], %a[%c0, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
  scf.for %i = %c1 to %c8 step %c1 {
    memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
    %half = arith.remui %i, %c2 : index
    memref.dma_start %far[%i, %c0], %a[%half, %c0], %c64, %tag[%c0] : memref<8x64xf32, 1>, memref<2x64xf32>, memref<1xi32>
    %other = arith.subi %c1, %half : index
    %row = memref.subview %a[%other, 0] [1, 64] [1, 1] : memref<2x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    memref.copy %row, %x : memref<64xf32, strided<[1], offset: ?>> to memref<64xf32>
  }
  memref.dma_wait %tag[%c0], %c64 : memref<1xi32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %a : memref<2x64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

// -----

// Another element, or another count, is another transfer.
// SAID-COUNT-2: asynchronous {{.*}}Function=others
// CHECK-LABEL: func.func @others(
func.func @others(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  memref.dma_start %far[%c0], %b[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  memref.dma_wait %tag[%c1], %c32 : memref<2xi32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

// -----

// The wait may be for the second transfer on that element, or is not on every path.
// SAID-COUNT-2: asynchronous {{.*}}Function=doubtful
// CHECK-LABEL: func.func @doubtful(
func.func @doubtful(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<2xi32>, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  memref.dma_start %far[%c0], %b[%c0], %c64, %tag[%i] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  memref.dma_wait %tag[%c0], %c64 : memref<2xi32>
  scf.if %c {
    memref.dma_wait %tag[%i], %c64 : memref<2xi32>
  }
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}
