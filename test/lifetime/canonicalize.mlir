// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --canonicalize | FileCheck %s

func.func private @use(memref<4xf32>)

// An empty life goes; other markers in between do not matter.
// CHECK-LABEL: func @empty
// CHECK-NEXT: return
func.func @empty(%a: memref<4xf32>, %b: memref<4xf32>) {
  lifetime.start %a : memref<4xf32>
  lifetime.start %b : memref<4xf32>
  lifetime.end %a : memref<4xf32>
  lifetime.end %b : memref<4xf32>
  return
}

// CHECK-LABEL: func @empty_value
// CHECK-NOT: lifetime
// CHECK: return
func.func @empty_value(%a: memref<4xf32>, %c: i1) {
  %live = lifetime.start %a : memref<4xf32>
  scf.if %c {
    func.call @use(%a) : (memref<4xf32>) -> ()
    lifetime.end %live : memref<4xf32>
  } else {
    lifetime.end %live : memref<4xf32>
  }
  return
}

// A buffer with nothing but lives in which nothing happens: markers go, wherever they stand, and
// so does the buffer.
// CHECK-LABEL: func @dead
// CHECK-NEXT: call
// CHECK-NEXT: return
func.func @dead(%c: i1, %other: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  func.call @use(%other) : (memref<4xf32>) -> ()
  scf.if %c {
    lifetime.end %a : memref<4xf32>
    %live = lifetime.start %b : memref<4xf32>
    lifetime.end %live : memref<4xf32>
  } else {
    lifetime.end %a : memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  return
}

// CHECK-LABEL: func @kept
// CHECK: lifetime.start %[[A:.*]] :
// CHECK-NEXT: call @use
// CHECK-NEXT: lifetime.end %[[A]] :
// CHECK-NEXT: lifetime.start %[[A]] :
// CHECK-NEXT: call @use
// CHECK-NEXT: lifetime.end %[[A]] :
// CHECK-NEXT: %[[L:.*]] = lifetime.start
// CHECK-NEXT: call @use(%[[L]])
// CHECK-NEXT: lifetime.end %[[L]] :
func.func @kept() {
  %a = memref.alloca() : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  func.call @use(%a) : (memref<4xf32>) -> ()
  lifetime.end %a : memref<4xf32>
  lifetime.start %a : memref<4xf32>
  func.call @use(%a) : (memref<4xf32>) -> ()
  lifetime.end %a : memref<4xf32>
  %l = lifetime.start %a : memref<4xf32>
  func.call @use(%l) : (memref<4xf32>) -> ()
  lifetime.end %l : memref<4xf32>
  return
}
