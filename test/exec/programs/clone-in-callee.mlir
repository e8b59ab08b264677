// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-reuse,inline,canonicalize)'

// A clone in a callee may become the caller's slice by inlining and folding; another slice then writes
// there. So it is a copy afterwards.

func.func private @dup(%m: memref<8xi64>) -> memref<8xi64> {
  %c = bufferization.clone %m : memref<8xi64> to memref<8xi64>
  return %c : memref<8xi64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %five = arith.constant 5 : i64
  %nine = arith.constant 9 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloc() : memref<8xi64>
    memref.store %five, %a[%c0] : memref<8xi64>
    %c = func.call @dup(%a) : (memref<8xi64>) -> memref<8xi64>
    %b = memref.alloc() : memref<8xi64>
    memref.store %nine, %b[%c0] : memref<8xi64>
    %w = memref.load %b[%c0] : memref<8xi64>
    %v = memref.load %c[%c0] : memref<8xi64>
    memref.dealloc %c : memref<8xi64>
    memref.dealloc %a : memref<8xi64>
    memref.dealloc %b : memref<8xi64>
    %d = memref.alloc() : memref<8xi64>
    memref.store %v, %d[%c0] : memref<8xi64>
    %q = memref.load %d[%c0] : memref<8xi64>
    memref.dealloc %d : memref<8xi64>
    vector.print %q : i64
    vector.print %w : i64
  }
  return
}
