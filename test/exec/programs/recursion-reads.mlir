// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// What a function does with its argument when it calls itself is known: it reads it, and gives it
// back. So the caller's buffers share bytes, and live as long as what the calls gave.

// CHECK: {{^}}77{{$}}
// CHECK-NEXT: {{^}}33{{$}}

func.func private @sum(%p: memref<16xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %p[%n] : memref<16xi64>
  %last = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %last -> (i64) {
    scf.yield %v : i64
  } else {
    %m = arith.subi %n, %c1 : index
    %below = func.call @sum(%p, %m) : (memref<16xi64>, index) -> i64
    %s = arith.addi %v, %below : i64
    scf.yield %s : i64
  }
  return %r : i64
}

// Gives one of its arguments back, by way of itself.
func.func private @turned(%p: memref<16xi64>, %q: memref<16xi64>, %n: index) -> memref<16xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %last, ^done(%p : memref<16xi64>), ^deeper
^deeper:
  %m = arith.subi %n, %c1 : index
  %r = call @turned(%q, %p, %m) : (memref<16xi64>, memref<16xi64>, index) -> memref<16xi64>
  cf.br ^done(%r : memref<16xi64>)
^done(%given: memref<16xi64>):
  return %given : memref<16xi64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %seven = arith.constant 7 : i64
  %three = arith.constant 3 : i64
  %a = memref.alloc() : memref<16xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<16xi64>)
  %x = call @sum(%a, %c10) : (memref<16xi64>, index) -> i64
  memref.dealloc %a : memref<16xi64>
  call @show(%x) : (i64) -> ()
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%seven : i64) outs(%b : memref<16xi64>)
  %c = memref.alloc() : memref<16xi64>
  linalg.fill ins(%three : i64) outs(%c : memref<16xi64>)
  // Is %c.
  %t = call @turned(%b, %c, %c3) : (memref<16xi64>, memref<16xi64>, index) -> memref<16xi64>
  %d = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%d : memref<16xi64>)
  %y = call @sum(%t, %c10) : (memref<16xi64>, index) -> i64
  %z = memref.load %d[%c0] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %c : memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  %gone = arith.cmpi ne, %z, %x : i64
  %shown = arith.select %gone, %z, %y : i64
  call @show(%shown) : (i64) -> ()
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
