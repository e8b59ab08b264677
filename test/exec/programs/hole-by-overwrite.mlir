// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Between its last read and the write of all of it a buffer lends its bytes.

// CHECK: {{^}}10{{$}}
// CHECK-NEXT: {{^}}20{{$}}
// CHECK-NEXT: {{^}}30{{$}}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 10 : i64
  %y = arith.constant 20 : i64
  %z = arith.constant 30 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %u = memref.load %a[%c1] : memref<16xi64>
  linalg.fill ins(%y : i64) outs(%b : memref<16xi64>)
  %v = memref.load %b[%c1] : memref<16xi64>
  linalg.fill ins(%z : i64) outs(%a : memref<16xi64>)
  %w = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  call @show(%u) : (i64) -> ()
  call @show(%v) : (i64) -> ()
  call @show(%w) : (i64) -> ()
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
