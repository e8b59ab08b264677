// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --lower-lifetimes-to-llvm | FileCheck %s
// RUN: stowage-opt %s --split-input-file --lower-lifetimes-to-llvm=poison -o /dev/null
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s --split-input-file --pass-pipeline="builtin.module(lower-lifetimes-to-llvm)" | FileCheck %s
// RUN: not stowage-opt %s --split-input-file --convert-lifetime-to-llvm -o /dev/null 2>&1 | FileCheck %s --check-prefix=EARLY

// CHECK-LABEL: llvm.func @static
// CHECK: %[[A:.*]] = llvm.alloca
// CHECK: llvm.intr.lifetime.start %[[A]] : !llvm.ptr
// CHECK: llvm.intr.lifetime.end %[[A]] : !llvm.ptr
// CHECK-NOT: lifetime
// CHECK: llvm.return
func.func @static(%out: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  lifetime.start %a : memref<8xf32>
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  lifetime.end %a : memref<8xf32>
  return
}

// -----

// Dynamic sizes, several dimensions, an alignment, a loop.
// CHECK-LABEL: llvm.func @dynamic
// CHECK: %[[A:.*]] = llvm.alloca {{.*}} {alignment = 64 : i64}
// CHECK: llvm.cond_br
// CHECK: llvm.intr.lifetime.start %[[A]]
// CHECK: llvm.intr.lifetime.end %[[A]]
func.func @dynamic(%out: memref<?x4xf32>, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca(%n) {alignment = 64} : memref<?x4xf32>
  scf.for %i = %c0 to %m step %c1 {
    %l = lifetime.start %a : memref<?x4xf32>
    memref.copy %l, %out : memref<?x4xf32> to memref<?x4xf32>
    lifetime.end %l : memref<?x4xf32>
  }
  return
}

// -----

// CHECK-LABEL: llvm.func @heap_and_views
// CHECK-NOT: lifetime
// CHECK: llvm.return
func.func @heap_and_views(%out: memref<4xf32>) {
  %c16 = arith.constant 16 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloca() : memref<32xi8>
  %v = memref.view %b[%c16][] : memref<32xi8> to memref<4xf32>
  lifetime.start %a : memref<4xf32>
  lifetime.start %v : memref<4xf32>
  memref.copy %a, %v : memref<4xf32> to memref<4xf32>
  lifetime.end %a : memref<4xf32>
  memref.copy %v, %out : memref<4xf32> to memref<4xf32>
  lifetime.end %v : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

func.func @too_early() {
  %a = memref.alloca() : memref<4xf32>
  // EARLY: error: convert-lifetime-to-llvm: its buffer is still a memref.alloca; run finalize-memref-to-llvm first
  lifetime.start %a {whole} : memref<4xf32>
  lifetime.end %a {whole} : memref<4xf32>
  return
}
