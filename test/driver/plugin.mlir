// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse)' | FileCheck %s
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse{alignment-in-bytes=128 pool-all strategy=best-fit-area})' | FileCheck %s --check-prefix=OPTIONS
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse{analysis annotate})' 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: not mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse{strategy=magic})' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(func.func(buffer-reuse))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse{poison})' -o /dev/null
// RUN: mlir-opt %s --load-pass-plugin=%plugin --remarks-filter=buffer-reuse --pass-pipeline='builtin.module(buffer-reuse)' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The plugin in the mlir-opt that people have.

// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16xi8>
// CHECK: memref.view
// OPTIONS: memref.alloc() {alignment = 128 : i64} : memref<16xi8>
// ANALYSIS-DAG: stowage.offset = 0
// ANALYSIS-DAG: lower bound
// ERROR: error: {{.*}}strategy
// ANCHOR: error
// REMARK: remark
func.func @two(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi8>
  memref.store %x, %a[%c0] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  memref.store %x, %b[%c0] : memref<16xi8>
  memref.dealloc %b : memref<16xi8>
  return
}
