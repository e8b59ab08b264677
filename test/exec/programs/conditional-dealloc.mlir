// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A buffer that one branch frees and the other hands on.

// CHECK: {{^}}13{{$}}
// CHECK-NEXT: {{^}}13{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  scf.if %c {
    memref.dealloc %a : memref<16xi64>
  }
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %v = scf.if %c -> (i64) {
    scf.yield %x : i64
  } else {
    %l = memref.load %a[%c1] : memref<16xi64>
    memref.dealloc %a : memref<16xi64>
    scf.yield %l : i64
  }
  %w = memref.load %b[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %s = arith.addi %v, %w : i64
  return %s : i64
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
