// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two buffers of 1 MiB that are never alive at once: one frame slot with markers, two without.

// RUN: stowage-opt %s --lower-lifetimes-to-llvm | mlir-translate --mlir-to-llvmir | llc -O2 -pass-remarks-analysis=prologepilog -o /dev/null 2>&1 | FileCheck %s

// CHECK: {{ 20971[0-9][0-9]}} stack bytes in function 'without'
func.func private @touch(memref<262144xf32>)
func.func @without() {
  %a = memref.alloca() : memref<262144xf32>
  %b = memref.alloca() : memref<262144xf32>
  call @touch(%a) : (memref<262144xf32>) -> ()
  call @touch(%b) : (memref<262144xf32>) -> ()
  return
}

// CHECK: {{ 10485[0-9][0-9]}} stack bytes in function 'with'
func.func @with() {
  %a = memref.alloca() : memref<262144xf32>
  %b = memref.alloca() : memref<262144xf32>
  lifetime.start %a : memref<262144xf32>
  call @touch(%a) : (memref<262144xf32>) -> ()
  lifetime.end %a : memref<262144xf32>
  %l = lifetime.start %b : memref<262144xf32>
  call @touch(%l) : (memref<262144xf32>) -> ()
  lifetime.end %l : memref<262144xf32>
  return
}
