// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A block that ends in an op that nobody knows may return there, or go anywhere: results stay results, which is an error.

// RUN: stowage-opt %s --allow-unregistered-dialect --merge-alloc="arena=argument entries=nothing_known result-arguments" -verify-diagnostics -split-input-file

// expected-error @+1 {{result 0 cannot be an argument: not every path ends in a func.return}}
func.func @nothing_known(%a: memref<4xf32>) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  memref.copy %a, %r : memref<4xf32> to memref<4xf32>
  "u.end"(%r) : (memref<4xf32>) -> ()
}

// -----

// expected-error @+1 {{result 0 cannot be an argument: not every path ends in a func.return}}
func.func @nothing_known(%a: memref<4xf32>) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  memref.copy %a, %r : memref<4xf32> to memref<4xf32>
  "u.go"(%r)[^there] : (memref<4xf32>) -> ()
^there:
  return %r : memref<4xf32>
}
