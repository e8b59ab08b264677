// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What markers tell the planner: an op that may keep a buffer keeps it no longer than its life, and
// several lives of one buffer are several pieces. Markers of what is planned go.

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s
// RUN: stowage-opt %s --merge-alloc | FileCheck %s
// RUN: stowage-opt %s --convert-lifetime-to-llvm=prepare --buffer-reuse | FileCheck %s --check-prefix=WITHOUT

func.func private @unknown(memref<256xf32>)

// CHECK-LABEL: func @unknown_call
// CHECK: memref.alloc() {{.*}} : memref<1024xi8>
// CHECK-NOT: lifetime
// CHECK-NOT: memref.alloc(
// CHECK: call @unknown
// CHECK: call @unknown
// WITHOUT-LABEL: func @unknown_call
// WITHOUT: memref.alloc() : memref<256xf32>
// WITHOUT: memref.alloc() : memref<256xf32>
func.func @unknown_call() {
  %a = memref.alloc() : memref<256xf32>
  lifetime.start %a : memref<256xf32>
  func.call @unknown(%a) : (memref<256xf32>) -> ()
  lifetime.end %a : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  %l = lifetime.start %b : memref<256xf32>
  func.call @unknown(%l) : (memref<256xf32>) -> ()
  lifetime.end %l : memref<256xf32>
  memref.dealloc %a : memref<256xf32>
  memref.dealloc %b : memref<256xf32>
  return
}

// Two lives of %a, and %b in between.
// CHECK-LABEL: func @two_lives
// CHECK: memref.alloc() {{.*}} : memref<1024xi8>
// CHECK-NOT: lifetime
// CHECK-NOT: memref.alloc(
// CHECK: memref.store
// WITHOUT-LABEL: func @two_lives
// WITHOUT: memref.alloc() : memref<256xf32>
// WITHOUT: memref.alloc() : memref<256xf32>
func.func @two_lives(%x: f32, %i: index, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  lifetime.start %a : memref<256xf32>
  memref.store %x, %a[%i] : memref<256xf32>
  memref.copy %a, %out : memref<256xf32> to memref<256xf32>
  lifetime.end %a : memref<256xf32>
  memref.copy %out, %b : memref<256xf32> to memref<256xf32>
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  lifetime.start %a : memref<256xf32>
  memref.store %x, %a[%i] : memref<256xf32>
  memref.copy %a, %out : memref<256xf32> to memref<256xf32>
  lifetime.end %a : memref<256xf32>
  memref.dealloc %a : memref<256xf32>
  memref.dealloc %b : memref<256xf32>
  return
}

// A life that does not end says nothing about what keeps the buffer.
// CHECK-LABEL: func @no_end
// CHECK: memref.alloc() : memref<256xf32>
func.func @no_end(%out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  lifetime.start %a : memref<256xf32>
  func.call @unknown(%a) : (memref<256xf32>) -> ()
  memref.dealloc %a : memref<256xf32>
  return
}
