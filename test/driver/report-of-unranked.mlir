// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=analysis -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse=report=json:%t.json -o /dev/null
// RUN: %python -m json.tool %t.json

// A clone of unknown rank has no memory space that could be printed.

// CHECK: dynamic-shape
func.func @unranked(%q: memref<*xf32>) -> memref<*xf32> {
  %b = bufferization.clone %q : memref<*xf32> to memref<*xf32>
  return %b : memref<*xf32>
}
