// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Vector transfers read and write buffers.

// CHECK: {{^}}20{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i64
  %x = arith.constant dense<[1, 2, 3, 4]> : vector<4xi64>
  %a = memref.alloc() : memref<16xi64>
  vector.transfer_write %x, %a[%c0] {in_bounds = [true]} : vector<4xi64>, memref<16xi64>
  %v = vector.transfer_read %a[%c0], %pad {in_bounds = [true]} : memref<16xi64>, vector<4xi64>
  memref.dealloc %a : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %w = arith.addi %v, %v : vector<4xi64>
  vector.store %w, %b[%c0] : memref<16xi64>, vector<4xi64>
  %y = vector.load %b[%c0] : memref<16xi64>, vector<4xi64>
  memref.dealloc %b : memref<16xi64>
  %r = vector.reduction <add>, %y : vector<4xi64> into i64
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
