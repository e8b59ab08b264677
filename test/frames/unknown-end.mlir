// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A block that ends in an op that nobody knows may return there, or go anywhere: results stay results.

// RUN: stowage-opt %s --allow-unregistered-dialect --merge-alloc="arena=argument public result-arguments" | FileCheck %s

// CHECK: func.func @nothing_known(%{{.*}}: memref<4xf32>, %{{.*}}: memref<0xi8>) -> memref<4xf32> {
func.func @nothing_known(%a: memref<4xf32>) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  memref.copy %a, %r : memref<4xf32> to memref<4xf32>
  "u.end"(%r) : (memref<4xf32>) -> ()
}

// CHECK: func.func @one_return(%{{.*}}: memref<4xf32>, %{{.*}}: memref<0xi8>) -> memref<4xf32> {
func.func @one_return(%a: memref<4xf32>) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  memref.copy %a, %r : memref<4xf32> to memref<4xf32>
  "u.go"(%r)[^there] : (memref<4xf32>) -> ()
^there:
  return %r : memref<4xf32>
}
