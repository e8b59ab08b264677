// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse=unknown-ops=use | FileCheck %s

// A word of an op's name tells that it starts work and returns; letters inside a word tell nothing.

// CHECK-LABEL: func.func @other_words(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @other_words() {
  %a = memref.alloc() : memref<64xf32>
  "my.handmade"(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "my.unasynced_goodmark"(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  return
}

// CHECK-LABEL: func.func @words(
// CHECK-COUNT-4: memref.alloc()
// CHECK: return
func.func @words() {
  %a = memref.alloc() : memref<64xf32>
  "my.dma_begin"(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "my.device_async_copy"(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  "my.copy.async"(%c) : (memref<64xf32>) -> ()
  memref.dealloc %c : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  "dma.go"(%d) : (memref<64xf32>) -> ()
  memref.dealloc %d : memref<64xf32>
  return
}
