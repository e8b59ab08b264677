// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An arena of the caller's in each memory, down to LLVM: in address spaces of their own, and where LLVM knows one only.

// RUN: echo '[{name = "sram", bytes = 512, space = 3}, {name = "dram", bytes = 65536, cost = 2}]' > %t.numbers
// RUN: echo '[{name = "sram", bytes = 512}, {name = "dram", bytes = 65536, cost = 2}]' > %t.names
// RUN: stowage-opt %s --pass-pipeline='builtin.module(fit-memory{memories=%t.numbers reduce-peak=false},merge-alloc{arena=argument public emit-header=%t.h},lower-memory-spaces)' -o %t.numbers.mlir
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: mlir-opt %t.numbers.mlir --pass-pipeline='builtin.module(convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,finalize-memref-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv},convert-cf-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=NUMBERS
// RUN: stowage-opt %s --pass-pipeline='builtin.module(fit-memory{memories=%t.names reduce-peak=false},merge-alloc{arena=argument public emit-header=%t.h},lower-memory-spaces)' -o %t.names.mlir
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: mlir-opt %t.names.mlir --pass-pipeline='builtin.module(convert-linalg-to-loops,convert-scf-to-cf,expand-strided-metadata,lower-affine,finalize-memref-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-func-to-llvm{use-bare-ptr-memref-call-conv},convert-cf-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=NAMES

// HEADER: #define WAITS_ARENA_BYTES_SRAM 512
// HEADER: #define WAITS_ARENA_BYTES 256
// NUMBERS: define void @waits(ptr %0, ptr %1, ptr addrspace(3) %2, ptr %3)
// NUMBERS: store float {{.*}}, ptr addrspace(3)
// NAMES: define void @waits(ptr %0, ptr %1, ptr %2, ptr %3)
// NAMES-NOT: addrspace

func.func @waits(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
