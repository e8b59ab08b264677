// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --dynamic --saves --peak 6176 | FileCheck %s

// A size that is loaded in an scf.execute_region, of a function and of a loop, is known in there only. Two buffers that are never
// needed together share an arena there; one of a size that is known before is in the arena around.

// CHECK: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}2208{{$}}
// CHECK-NEXT: {{^}}8512{{$}}
// CHECK-NEXT: {{^}}261120{{$}}
// CHECK-NEXT: {{^}}261120{{$}}
// CHECK-NEXT: {{^}}522240{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}
// CHECK-NEXT: {{^}}0{{$}}

func.func @twice(%sizes: memref<4xindex>, %at: index, %n: index) {
  %c2 = arith.constant 2 : index
  %three = arith.constant 3 : i8
  %a = memref.alloc(%n) : memref<?xi8>
  func.call @fill(%a, %three) : (memref<?xi8>, i8) -> ()
  scf.execute_region no_inline {
    %k = memref.load %sizes[%at] : memref<4xindex>
    %b = memref.alloc(%k) : memref<?xi8>
    func.call @fill(%b, %three) : (memref<?xi8>, i8) -> ()
    %x = func.call @sum(%b) : (memref<?xi8>) -> i64
    memref.dealloc %b : memref<?xi8>
    func.call @show(%x) : (i64) -> ()
    scf.execute_region no_inline {
      %double = arith.muli %k, %c2 : index
      %c = memref.alloc(%double) : memref<?xi8>
      func.call @fill(%c, %three) : (memref<?xi8>, i8) -> ()
      %y = func.call @sum(%a) : (memref<?xi8>) -> i64
      func.call @show(%y) : (i64) -> ()
      %z = func.call @sum(%c) : (memref<?xi8>) -> i64
      memref.dealloc %c : memref<?xi8>
      func.call @show(%z) : (i64) -> ()
      scf.yield
    }
    scf.yield
  }
  memref.dealloc %a : memref<?xi8>
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %small = arith.constant 64 : index
  %large = arith.constant 2048 : index
  %sizes = memref.alloc() : memref<4xindex>
  memref.store %small, %sizes[%c0] : memref<4xindex>
  memref.store %large, %sizes[%c1] : memref<4xindex>
  memref.store %c0, %sizes[%c3] : memref<4xindex>
  call @twice(%sizes, %c0, %small) : (memref<4xindex>, index, index) -> ()
  call @twice(%sizes, %c1, %large) : (memref<4xindex>, index, index) -> ()
  call @twice(%sizes, %c3, %c0) : (memref<4xindex>, index, index) -> ()
  memref.dealloc %sizes : memref<4xindex>
  return
}

// Writes all elements, from the seed on.
func.func private @fill(%b: memref<?xi8>, %seed: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %b, %c0 : memref<?xi8>
  scf.for %i = %c0 to %n step %c1 {
    %w = arith.index_cast %i : index to i8
    %v = arith.addi %w, %seed : i8
    memref.store %v, %b[%i] : memref<?xi8>
  }
  return
}
// Reads all of them.
func.func private @sum(%b: memref<?xi8>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %b, %c0 : memref<?xi8>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i64) {
    %v = memref.load %b[%i] : memref<?xi8>
    %w = arith.extui %v : i8 to i64
    %t = arith.addi %a, %w : i64
    scf.yield %t : i64
  }
  return %s : i64
}

// Prints a number on a line of its own.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
