// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Dynamic buffers stay, and a dealloc that may free one of them binds the static one.

// CHECK: {{^}}49{{$}}
// CHECK-NEXT: {{^}}94{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %n = arith.constant 16 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  %d = memref.alloc(%n) : memref<?xi64>
  %ac = memref.cast %a : memref<16xi64> to memref<?xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%d : memref<?xi64>)
  %s = arith.select %c, %ac, %d : memref<?xi64>
  %o = arith.select %c, %d, %ac : memref<?xi64>
  %v = memref.load %s[%c1] : memref<?xi64>
  memref.dealloc %s : memref<?xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%b : memref<16xi64>)
  %w = memref.load %o[%c1] : memref<?xi64>
  memref.dealloc %o : memref<?xi64>
  %z = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %c10 = arith.constant 10 : i64
  %m = arith.muli %z, %c10 : i64
  %t = arith.addi %m, %w : i64
  return %t : i64
}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %p = call @run(%true) : (i1) -> i64
  %q = call @run(%false) : (i1) -> i64
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
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
