// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Allocs that ask for more alignment than the option gives: the programs's own loads rely on it.

// CHECK: {{^}}0{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}1{{$}}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 3 : i64
  %c255 = arith.constant 255 : index
  %s = memref.alloc() : memref<3xi8>
  %one = arith.constant 1 : i8
  linalg.fill ins(%one : i8) outs(%s : memref<3xi8>)
  %a = memref.alloc() {alignment = 256 : i64} : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  %p = memref.extract_aligned_pointer_as_index %a : memref<16xi64> -> index
  %low = arith.andi %p, %c255 : index
  %i = arith.index_cast %low : index to i64
  %v = memref.load %a[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  %b = memref.alloc() {alignment = 256 : i64} : memref<16xi64>
  linalg.fill ins(%v : i64) outs(%b : memref<16xi64>)
  %bb = memref.assume_alignment %b, 256 : memref<16xi64>
  %w = memref.load %bb[%c1] : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  %c = memref.alloc() {alignment = 256 : i64} : memref<16xi64>
  linalg.fill ins(%w : i64) outs(%c : memref<16xi64>)
  %z = memref.load %c[%c1] : memref<16xi64>
  memref.dealloc %c : memref<16xi64>
  %k = memref.load %s[%c1] : memref<3xi8>
  memref.dealloc %s : memref<3xi8>
  %kk = arith.extui %k : i8 to i64
  call @show(%i) : (i64) -> ()
  call @show(%z) : (i64) -> ()
  call @show(%kk) : (i64) -> ()
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
