// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// One branch yields a fresh buffer, the other one from outside: the dealloc after the if frees
// either, and the outer one is freed where the branch did not take it.

// CHECK: {{^}}6{{$}}
// CHECK-NEXT: {{^}}9{{$}}

func.func @run(%c: i1) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<16xi64>)
  %r = scf.if %c -> (memref<16xi64>) {
    %x = memref.alloc() : memref<16xi64>
    linalg.fill ins(%two : i64) outs(%x : memref<16xi64>)
    scf.yield %x : memref<16xi64>
  } else {
    scf.yield %a : memref<16xi64>
  }
  %v = memref.load %r[%c1] : memref<16xi64>
  %w = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %r : memref<16xi64>
  scf.if %c {
    memref.dealloc %a : memref<16xi64>
  }
  %s = arith.muli %v, %w : i64
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
