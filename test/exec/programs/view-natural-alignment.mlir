// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Elements of a view are loaded and stored with their own alignment, not that of the bytes they lie
// in: a slice among slices of odd sizes must have it.

// CHECK: {{^}}42{{$}}
// CHECK-NEXT: {{^}}51{{$}}

func.func private @printI64(i64)
func.func private @printNewline()
func.func @print(%x: i8) attributes {no_inline} {
  %wide = arith.extui %x : i8 to i64
  call @printI64(%wide) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %two = arith.constant 2 : i8
  %four = arith.constant dense<4> : vector<4xi32>
  %ten = arith.constant dense<10> : vector<8xi16>

  // Dead before the others live, so that these have somewhere to lie.
  %first = memref.alloc() : memref<300xi8>
  linalg.fill ins(%two : i8) outs(%first : memref<300xi8>)
  %x0 = memref.load %first[%c1] : memref<300xi8>
  memref.dealloc %first : memref<300xi8>

  %odd = memref.alloc() : memref<19xi8>
  linalg.fill ins(%two : i8) outs(%odd : memref<19xi8>)
  %bytes = memref.alloc() : memref<48xi8>
  linalg.fill ins(%two : i8) outs(%bytes : memref<48xi8>)
  %view = memref.view %bytes[%c16][%c2] : memref<48xi8> to memref<?xvector<4xi32>>
  memref.store %four, %view[%c1] : memref<?xvector<4xi32>>
  %odder = memref.alloc() : memref<21xi8>
  linalg.fill ins(%two : i8) outs(%odder : memref<21xi8>)
  %shorts = memref.alloc() : memref<8xi16>
  %whole = vector.type_cast %shorts : memref<8xi16> to memref<vector<8xi16>>
  memref.store %ten, %whole[] : memref<vector<8xi16>>

  %last = memref.load %view[%c1] : memref<?xvector<4xi32>>
  %x1 = vector.reduction <add>, %last : vector<4xi32> into i32
  %x2 = arith.trunci %x1 : i32 to i8
  %all = memref.load %whole[] : memref<vector<8xi16>>
  %x3 = vector.extract %all[3] : i16 from vector<8xi16>
  %x4 = arith.trunci %x3 : i16 to i8
  %x5 = memref.load %odd[%c2] : memref<19xi8>
  %x6 = memref.load %odder[%c2] : memref<21xi8>
  %s0 = arith.muli %x0, %x4 : i8
  %s1 = arith.addi %x2, %s0 : i8
  %s2 = arith.muli %x5, %x6 : i8
  %s3 = arith.addi %s1, %s2 : i8
  %sum = arith.addi %s3, %x5 : i8
  call @print(%sum) : (i8) -> ()
  memref.dealloc %odd : memref<19xi8>
  memref.dealloc %bytes : memref<48xi8>
  memref.dealloc %odder : memref<21xi8>
  memref.dealloc %shorts : memref<8xi16>

  %late = arith.addi %sum, %x4 : i8
  %one = arith.constant 1 : i8
  %more = arith.subi %late, %one : i8
  call @print(%more) : (i8) -> ()
  return
}
