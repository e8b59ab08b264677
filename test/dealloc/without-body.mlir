// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s --check-prefixes=CHECK,USE
// RUN: stowage-opt %s --buffer-deallocation=unknown-ops=escape | FileCheck %s --check-prefixes=CHECK,ESCAPE

// What functions without a body give is ours to free only if it cannot be what they are given.

func.func private @make(index) -> memref<?xf32>
func.func private @same_or_new(memref<?xf32>) -> memref<?xf32>
func.func private @new_like(memref<?xf32> {stowage.nocapture}) -> memref<?xf32>
func.func private @behind(!llvm.ptr) -> memref<?xf32>
func.func private @use(memref<?xf32> {stowage.nocapture})

// CHECK-LABEL: func.func @made(
// CHECK: %[[NEW:.*]] = call @make
// CHECK-NEXT: call @use(%[[NEW]])
// CHECK-NEXT: memref.dealloc %[[NEW]]
func.func @made(%n: index) {
  %a = call @make(%n) : (index) -> memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @given(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NEXT: %[[B:.*]] = call @same_or_new(%[[A]])
// CHECK-NEXT: call @use(%[[B]])
// ESCAPE-NEXT: return
// USE-NEXT: memref.dealloc %[[A]]
// USE-NEXT: return
func.func @given(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = call @same_or_new(%a) : (memref<?xf32>) -> memref<?xf32>
  call @use(%b) : (memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @borrowed(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NEXT: %[[B:.*]] = call @new_like(%[[A]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: call @use(%[[B]])
// CHECK-NEXT: memref.dealloc %[[B]]
func.func @borrowed(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = call @new_like(%a) : (memref<?xf32>) -> memref<?xf32>
  call @use(%b) : (memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @behind_a_pointer(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @behind_a_pointer(%p: !llvm.ptr) {
  %a = call @behind(%p) : (!llvm.ptr) -> memref<?xf32>
  call @use(%a) : (memref<?xf32>) -> ()
  return
}

// The program frees both: they are two.
// CHECK-LABEL: func.func @freed_by_the_program(
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed_by_the_program(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = call @same_or_new(%a) : (memref<?xf32>) -> memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}
