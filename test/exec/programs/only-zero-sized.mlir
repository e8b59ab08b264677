// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// An arena of no bytes.

// CHECK: {{^}}7{{$}}

func.func @main() {
  %x = arith.constant 7 : i64
  %a = memref.alloc() : memref<0xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<0xi64>)
  memref.dealloc %a : memref<0xi64>
  %b = memref.alloc() : memref<0xi64>
  linalg.fill ins(%x : i64) outs(%b : memref<0xi64>)
  memref.dealloc %b : memref<0xi64>
  call @show(%x) : (i64) -> ()
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
