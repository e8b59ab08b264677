// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --convert-lifetime-to-llvm=prepare --canonicalize=region-simplify=aggressive --finalize-memref-to-llvm --convert-lifetime-to-llvm | FileCheck %s

// The arms become one block, whose buffer is a select. LLVM cannot be told of the life in it, and
// must not believe that both allocas are dead there.
// CHECK-LABEL: func @merged_arms
// CHECK-COUNT-2: llvm.alloca
// CHECK-NOT: lifetime
// CHECK: arith.select
// CHECK-NOT: lifetime
// CHECK: return
func.func @merged_arms(%c: i1, %x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  %b = memref.alloca() : memref<8xf32>
  lifetime.start %a : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  lifetime.end %a : memref<8xf32>
  cf.cond_br %c, ^a, ^b
^a:
  lifetime.start %a : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  lifetime.end %a : memref<8xf32>
  cf.br ^end
^b:
  lifetime.start %b : memref<8xf32>
  memref.copy %x, %b : memref<8xf32> to memref<8xf32>
  memref.copy %b, %y : memref<8xf32> to memref<8xf32>
  lifetime.end %b : memref<8xf32>
  cf.br ^end
^end:
  return
}

// Other functions keep theirs.
// CHECK-LABEL: func @other
// CHECK: llvm.intr.lifetime.start
// CHECK: llvm.intr.lifetime.end
func.func @other(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  lifetime.start %a : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  lifetime.end %a : memref<8xf32>
  return
}
