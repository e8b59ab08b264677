// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// A clone may share its source's memory, so nothing may be written there while the clone lives:
// %a's slice is used again, %b is read after that, and canonicalize may fold the clone away.

// CHECK: {{^}}4{{$}}
// CHECK-NEXT: {{^}}9{{$}}
// CHECK-NEXT: {{^}}4{{$}}
// CHECK-NEXT: {{^}}9{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 9 : i64
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.alloc() : memref<16xi64>
    linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
    %b = bufferization.clone %a : memref<16xi64> to memref<16xi64>
    memref.dealloc %a : memref<16xi64>
    %d = memref.alloc() : memref<16xi64>
    linalg.fill ins(%y : i64) outs(%d : memref<16xi64>)
    %w = memref.load %d[%c0] : memref<16xi64>
    memref.dealloc %d : memref<16xi64>
    %v = memref.load %b[%c0] : memref<16xi64>
    memref.dealloc %b : memref<16xi64>
    func.call @show(%v) : (i64) -> ()
    func.call @show(%w) : (i64) -> ()
  }
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
