// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A dealloc may free a planned buffer or one that a caller gave: nothing may be planned there.

// CHECK: {{^}}13{{$}}
// CHECK-NEXT: {{^}}17{{$}}

func.func @run(%c: i1, %arg: memref<16xi64>) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  %s = arith.select %c, %a, %arg : memref<16xi64>
  %o = arith.select %c, %arg, %a : memref<16xi64>
  %v = memref.load %s[%c1] : memref<16xi64>
  memref.dealloc %s : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%five : i64) outs(%t : memref<16xi64>)
  %x = memref.load %t[%c1] : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  %w = memref.load %o[%c1] : memref<16xi64>
  memref.dealloc %o : memref<16xi64>
  %m = arith.muli %v, %x : i64
  %n = arith.addi %m, %w : i64
  return %n : i64
}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<16xi64>)
  %p = call @run(%true, %a) : (i1, memref<16xi64>) -> i64
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  %q = call @run(%false, %b) : (i1, memref<16xi64>) -> i64
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
