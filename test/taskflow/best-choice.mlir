// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first two tasks gain most: 100 bytes are gone. But then the third one must not move: it writes an argument that may be
// what they read, and %u stays whole. If the first two stay apart, %u needs a window of 8 of its 200 bytes.
// DEFINE: %{fuse} = stowage-opt %s -o /dev/null --convert-affine-to-taskflow --memory-access-streaming-fusion
// RUN: %{fuse}='report=text search-trials=0' 2>&1 | FileCheck %s --check-prefix=GAIN
// RUN: %{fuse}='report=text search-trials=1' 2>&1 | FileCheck %s --check-prefix=GAIN
// RUN: %{fuse}='report=text' 2>&1 | FileCheck %s --check-prefix=BEST
// RUN: %{fuse}='report=text windows=false' 2>&1 | FileCheck %s --check-prefix=WHOLE

// GAIN: after 2 tasks 200 bytes
// GAIN-NEXT: 1 way tried; none leaves fewer than 0 bytes
// GAIN-NEXT: round 1: @Task_0_Task_1_fused: 100 bytes

// BEST: after 2 tasks 108 bytes
// BEST-NEXT: 3 ways tried; no choice of pairs is left
// BEST-NEXT: round 1: @Task_1_Task_2_fused: 192 bytes, 0 loads, 0 stores fewer; 1 window
// BEST-NEXT: @Task_0 and @Task_1_Task_2_fused stay two (may-alias)

// WHOLE: after 2 tasks 200 bytes
// WHOLE-NEXT: {{[0-9]+}} ways tried; no choice of pairs is left
func.func @three(%in: memref<5x5xi32>, %out: memref<10x5xi32>) {
  %t = memref.alloc() : memref<5x5xi32>
  %u = memref.alloc() : memref<10x5xi32>
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      %v = affine.load %in[%i, %j] : memref<5x5xi32>
      %w = arith.muli %v, %v : i32
      affine.store %w, %t[%i, %j] : memref<5x5xi32>
    }
  }
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 2 {
        %v = affine.load %t[%i, %j] : memref<5x5xi32>
        %w = arith.xori %v, %v : i32
        affine.store %w, %u[%i * 2 + %k, %j] : memref<10x5xi32>
      }
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 5 {
      %v = affine.load %u[%i, %j] : memref<10x5xi32>
      affine.store %v, %out[%i, %j] : memref<10x5xi32>
    }
  }
  memref.dealloc %t : memref<5x5xi32>
  memref.dealloc %u : memref<10x5xi32>
  return
}
