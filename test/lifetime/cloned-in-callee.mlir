// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A callee's clone may be taken for its source once the callee is inlined: the source lives as long.

// RUN: stowage-opt %s --insert-lifetimes=form=value | FileCheck %s
// RUN: stowage-opt %s --insert-lifetimes --inline --verify-lifetimes
// RUN: stowage-opt %s --insert-lifetimes=form=value --inline --verify-lifetimes

func.func private @copy(%a: memref<4xf32>) -> memref<4xf32> {
  %b = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  return %b : memref<4xf32>
}

// Through a view, a clone of a clone, and a call.
func.func private @copy_twice(%a: memref<4xf32>) -> memref<2x2xf32> {
  %v = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %b = bufferization.clone %v : memref<2x2xf32> to memref<2x2xf32>
  %c = bufferization.clone %b : memref<2x2xf32> to memref<2x2xf32>
  memref.dealloc %b : memref<2x2xf32>
  return %c : memref<2x2xf32>
}
func.func private @calls(%a: memref<4xf32>) -> memref<2x2xf32> {
  %r = call @copy_twice(%a) : (memref<4xf32>) -> memref<2x2xf32>
  return %r : memref<2x2xf32>
}

// A clone that is not returned is over when the call is.
func.func private @reads(%a: memref<4xf32>, %io: memref<4xf32>) -> memref<4xf32> {
  %b = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.copy %b, %io : memref<4xf32> to memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  %r = memref.alloc() : memref<4xf32>
  memref.copy %io, %r : memref<4xf32> to memref<4xf32>
  return %r : memref<4xf32>
}

// CHECK-LABEL: func @one
// CHECK: %[[A:.*]] = lifetime.start
// CHECK: call @copy
// CHECK-NEXT: memref.copy
// CHECK-NEXT: lifetime.end %[[A]]
func.func @one(%io: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  %b = call @copy(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.copy %b, %io : memref<4xf32> to memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// CHECK-LABEL: func @two
// CHECK: %[[A:.*]] = lifetime.start
// CHECK: call @calls
// CHECK-NEXT: memref.copy
// CHECK-NEXT: lifetime.end %[[A]]
func.func @two(%io: memref<4xf32>, %to: memref<2x2xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  %b = call @calls(%a) : (memref<4xf32>) -> memref<2x2xf32>
  memref.copy %b, %to : memref<2x2xf32> to memref<2x2xf32>
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<2x2xf32>
  return
}

// CHECK-LABEL: func @read
// CHECK: %[[A:.*]] = lifetime.start
// CHECK: call @reads
// CHECK-NEXT: lifetime.end %[[A]]
func.func @read(%io: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %io, %a : memref<4xf32> to memref<4xf32>
  %b = call @reads(%a, %io) : (memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  memref.copy %b, %io : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return
}
