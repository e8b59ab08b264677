// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Every iteration allocates the buffer that the next one reads and frees: it survives its iteration.
// The buffers before and after the loop share all the same.

// CHECK: {{^}}243{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1 : i64
  %x = memref.alloc() : memref<16xi64>
  linalg.fill ins(%one : i64) outs(%x : memref<16xi64>)
  %x0 = memref.load %x[%c0] : memref<16xi64>
  memref.dealloc %x : memref<16xi64>
  %init = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x0 : i64) outs(%init : memref<16xi64>)
  %last = scf.for %i = %c0 to %c5 step %c1 iter_args(%cur = %init) -> (memref<16xi64>) {
    %new = memref.alloc() : memref<16xi64>
    %v = memref.load %cur[%i] : memref<16xi64>
    %w = arith.addi %v, %v : i64
    linalg.fill ins(%one : i64) outs(%new : memref<16xi64>)
    %o = memref.load %cur[%c0] : memref<16xi64>
    %s = arith.addi %w, %o : i64
    linalg.fill ins(%s : i64) outs(%new : memref<16xi64>)
    memref.dealloc %cur : memref<16xi64>
    scf.yield %new : memref<16xi64>
  }
  %r = memref.load %last[%c1] : memref<16xi64>
  memref.dealloc %last : memref<16xi64>
  %y = memref.alloc() : memref<16xi64>
  linalg.fill ins(%r : i64) outs(%y : memref<16xi64>)
  %z = memref.load %y[%c0] : memref<16xi64>
  memref.dealloc %y : memref<16xi64>
  call @show(%z) : (i64) -> ()
  return
}

// Prints a number on a line of its own.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
