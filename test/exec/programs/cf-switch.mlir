// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A switch with a buffer per case.

// CHECK: {{^}}2{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}6{{$}}

func.func @run(%f: i32) -> i64 {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%two : i64) outs(%a : memref<16xi64>)
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%b : memref<16xi64>)
  cf.switch %f : i32, [ default: ^use(%a : memref<16xi64>), 1: ^use(%b : memref<16xi64>), 2: ^other ]
^use(%p: memref<16xi64>):
  %v = memref.load %p[%c1] : memref<16xi64>
  cf.br ^exit(%v : i64)
^other:
  %x = memref.load %a[%c1] : memref<16xi64>
  %y = memref.load %b[%c1] : memref<16xi64>
  %z = arith.muli %x, %y : i64
  cf.br ^exit(%z : i64)
^exit(%r: i64):
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  return %r : i64
}
func.func @main() {
  %f0 = arith.constant 0 : i32
  %f1 = arith.constant 1 : i32
  %f2 = arith.constant 2 : i32
  %p = call @run(%f0) : (i32) -> i64
  %q = call @run(%f1) : (i32) -> i64
  %r = call @run(%f2) : (i32) -> i64
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
  call @show(%r) : (i64) -> ()
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
