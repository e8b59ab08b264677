// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse -o %t.one --mlir-disable-threading
// RUN: stowage-opt %s --buffer-reuse -o %t.two
// RUN: diff %t.one %t.two
// RUN: stowage-opt %s --buffer-reuse --mlir-timing -o /dev/null 2>&1 | FileCheck %s

// Threads change nothing, and the pass says its time.

// CHECK: BufferReuse
func.func @two(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi8>
  memref.store %x, %a[%c0] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  memref.store %x, %b[%c0] : memref<16xi8>
  memref.dealloc %b : memref<16xi8>
  return
}
