// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A block argument is passed to itself around a loop: what it stands for lives through all of it.

// CHECK: {{^}}7{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = arith.constant 7 : i64
  %y = arith.constant 100 : i64
  %a = memref.alloc() : memref<16xi64>
  %t = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  cf.br ^head(%c0, %a : index, memref<16xi64>)
^head(%i: index, %p: memref<16xi64>):
  %more = arith.cmpi ult, %i, %c3 : index
  cf.cond_br %more, ^body, ^exit(%p : memref<16xi64>)
^body:
  linalg.fill ins(%y : i64) outs(%t : memref<16xi64>)
  %n = arith.addi %i, %c1 : index
  cf.br ^head(%n, %p : index, memref<16xi64>)
^exit(%q: memref<16xi64>):
  %v = memref.load %q[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %t : memref<16xi64>
  call @show(%v) : (i64) -> ()
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
