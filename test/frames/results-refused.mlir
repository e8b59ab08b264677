// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --merge-alloc="arena=argument public result-arguments" --verify-diagnostics

// A result that cannot be an argument is an error where that was asked for, and says why.

func.func private @elsewhere() -> memref<4xf32>
// expected-error @+1 {{result-arguments: result 0 cannot be an argument: it may be memory that a function allocates that is called; write into an argument of that function}}
func.func @of_elsewhere() -> memref<4xf32> {
  %r = call @elsewhere() : () -> memref<4xf32>
  return %r : memref<4xf32>
}

// -----

// expected-error @+1 {{result 1 cannot be an argument: its type does not say its size; give it a constant shape}}
func.func @dynamic(%n: index) -> (f32, memref<?xf32>) {
  %v = arith.constant 1.0 : f32
  %r = memref.alloc(%n) : memref<?xf32>
  return %v, %r : f32, memref<?xf32>
}

// -----

// expected-error @+1 {{it may be an allocation whose size is known at run time only; allocate it with constant sizes}}
func.func @dynamic_inside(%n: index, %c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.cast %a : memref<?xf32> to memref<4xf32>
  %r = arith.select %c, %b, %x : memref<4xf32>
  return %r : memref<4xf32>
}

// -----

func.func @other() {
  return
}
// expected-error @+1 {{it may call itself; name other functions in entries}}
func.func @recursive(%c: i1) -> memref<4xf32> {
  %r = memref.alloc() : memref<4xf32>
  scf.if %c {
    %no = arith.constant false
    %q = func.call @recursive(%no) : (i1) -> memref<4xf32>
    memref.copy %q, %r : memref<4xf32> to memref<4xf32>
  }
  return %r : memref<4xf32>
}

// -----

// A copy would be told from the argument by who calls.
// expected-error @+1 {{callers in the module may know it by another name; copy it into a memref.alloc and return that}}
func.func @known(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = arith.select %c, %a, %x : memref<4xf32>
  return %r : memref<4xf32>
}
func.func @knows(%c: i1, %x: memref<4xf32>) {
  %q = func.call @known(%c, %x) : (i1, memref<4xf32>) -> memref<4xf32>
  memref.copy %q, %x : memref<4xf32> to memref<4xf32>
  return
}

// -----

// expected-error @+1 {{a part of what it may be is left to the caller to free; run merge-alloc before deallocation}}
func.func @freed_already(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = arith.select %c, %a, %x : memref<4xf32>
  return %r : memref<4xf32>
}

// -----

// A realloc frees before deallocation is done, too.
func.func @reallocated(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  memref.copy %x, %t : memref<4xf32> to memref<4xf32>
  %u = memref.realloc %t : memref<4xf32> to memref<8xf32>
  %a = memref.alloc() : memref<4xf32>
  %v = memref.subview %u[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %v, %a : memref<4xf32, strided<[1]>> to memref<4xf32>
  %r = arith.select %c, %a, %x : memref<4xf32>
  return %r : memref<4xf32>
}
