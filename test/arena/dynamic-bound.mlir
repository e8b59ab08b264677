// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// With upper bounds an arena is a number: it may be the caller's, or on the stack. A result of dynamic
// shape has the bytes it needs and lends none.

// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=bound arena=argument entries=net" \
// RUN:     | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect -pack-stack="dynamic=bound unknown-ops=use" \
// RUN:     | FileCheck %s --check-prefix=STACK
// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=bound" | FileCheck %s --check-prefix=RESULT

// CHECK-LABEL: func private @layer(
// CHECK-SAME: memref<400xi8>
// CHECK-LABEL: func @net_arena_bytes(
// CHECK: arith.constant 848
// CHECK-LABEL: func @net(
// CHECK-SAME: memref<848xi8>
// CHECK-NOT: memref.alloc(
func.func private @layer(%x: memref<?xf32> {stowage.dims = [{max = 100}]}, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %t : memref<?xf32> to memref<?xf32>
  memref.copy %t, %y : memref<?xf32> to memref<?xf32>
  return
}

// STACK-LABEL: func @net(
// STACK: memref.alloca() {alignment = 16 : i64} : memref<800xi8>
// STACK-COUNT-2: memref.view
// STACK-NOT: memref.alloca
func.func @net(%x: memref<?xf32> {stowage.dims = [{max = 100}]}, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  call @layer(%x, %t) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.copy %t, %y : memref<?xf32> to memref<?xf32>
  %s = memref.alloca(%n) : memref<?xf64>
  "test.use"(%s) : (memref<?xf64>) -> ()
  %u = memref.alloca(%n) : memref<?xf64>
  "test.use"(%u) : (memref<?xf64>) -> ()
  return
}

// CHECK-LABEL: func @result(
// RESULT-LABEL: func @result(
// RESULT: memref.alloc() {alignment = 64 : i64} : memref<400xi8>
// RESULT: memref.alloc(%{{.*}}) : memref<?xi64>
func.func @result(%x: memref<?xi64> {stowage.dims = [{max = 4096}]}, %v: i64) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi64>
  %t = memref.alloc() : memref<50xi64>
  memref.store %v, %t[%c0] : memref<50xi64>
  %w = memref.load %t[%c0] : memref<50xi64>
  %r = memref.alloc(%n) : memref<?xi64>
  linalg.fill ins(%w : i64) outs(%r : memref<?xi64>)
  return %r : memref<?xi64>
}

// A bound that no memory could hold is none.
// RESULT-LABEL: func @beyond_memory(
// RESULT-COUNT-2: memref.alloc(%{{.*}}) : memref<?xf32>
func.func @beyond_memory(%x: memref<?xf32> {stowage.dims = [{max = 1125899906842624}]}, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %t : memref<?xf32> to memref<?xf32>
  memref.copy %t, %y : memref<?xf32> to memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  memref.copy %y, %u : memref<?xf32> to memref<?xf32>
  memref.copy %u, %y : memref<?xf32> to memref<?xf32>
  return
}

// Nor is one that follows from the limits of three dimensions together: 32 TB for what a run has of a few bytes.
// RESULT-LABEL: func @product_of_limits(
// RESULT-COUNT-2: memref.alloc(%{{.*}}) : memref<?x?x?xf32>
func.func @product_of_limits(%x: memref<?xf32> {stowage.dims = [{max = 20000}]}, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n, %n, %n) : memref<?x?x?xf32>
  linalg.fill ins(%v : f32) outs(%t : memref<?x?x?xf32>)
  %a = memref.load %t[%c0, %c0, %c0] : memref<?x?x?xf32>
  %u = memref.alloc(%n, %n, %n) : memref<?x?x?xf32>
  linalg.fill ins(%a : f32) outs(%u : memref<?x?x?xf32>)
  %b = memref.load %u[%c0, %c0, %c0] : memref<?x?x?xf32>
  return %b : f32
}
