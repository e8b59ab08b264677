// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --expand-lifetimes | FileCheck %s
// RUN: stowage-opt %s --expand-lifetimes=poison | FileCheck %s --check-prefix=POISON

// CHECK-LABEL: func @value_form
// CHECK: %[[A:.*]] = memref.alloca
// CHECK-NEXT: lifetime.start %[[A]] {whole} :
// CHECK-NEXT: memref.copy %[[A]],
// CHECK-NEXT: lifetime.end %[[A]] {whole} :
// POISON-LABEL: func @value_form
// POISON: llvm.intr.memset
// POISON: lifetime.start
// POISON: memref.copy
// POISON: llvm.intr.memset
// POISON-NEXT: lifetime.end
func.func @value_form(%out: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  %l = lifetime.start %a : memref<8xf32>
  memref.copy %l, %out : memref<8xf32> to memref<8xf32>
  lifetime.end %l : memref<8xf32>
  return
}

// What is not an alloca has no markers in LLVM; poison reaches it all the same.
// CHECK-LABEL: func @elsewhere
// CHECK-NOT: lifetime
// CHECK: return
// POISON-LABEL: func @elsewhere
// POISON-COUNT-4: llvm.intr.memset
// POISON-NOT: memset
// POISON: return
func.func @elsewhere(%arg: memref<8xf32>, %n: index, %u: memref<*xf32>,
                     %s: memref<4xf32, strided<[2]>>, %space: memref<4xf32, 1>) {
  %a = memref.alloc(%n) : memref<?x4xi24>
  lifetime.start %a : memref<?x4xi24>
  lifetime.end %a : memref<?x4xi24>
  %l = lifetime.start %arg : memref<8xf32>
  memref.copy %l, %arg : memref<8xf32> to memref<8xf32>
  lifetime.end %l : memref<8xf32>
  lifetime.start %u : memref<*xf32>
  lifetime.start %s : memref<4xf32, strided<[2]>>
  lifetime.start %space : memref<4xf32, 1>
  memref.dealloc %a : memref<?x4xi24>
  return
}

// An alloca whose views have lives of their own is alive as they are: its own markers would say
// less than the truth.
// CHECK-LABEL: func @carved
// CHECK: lifetime.start %[[OTHER:.*]] {whole}
// CHECK-NOT: lifetime
// CHECK: lifetime.end %[[OTHER]] {whole}
func.func @carved(%out: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<32xi8>
  %b = memref.alloca() : memref<32xi8>
  %other = memref.alloca() : memref<4xf32>
  lifetime.start %other : memref<4xf32>
  lifetime.start %a : memref<32xi8>
  lifetime.end %a : memref<32xi8>
  lifetime.start %b : memref<32xi8>
  lifetime.end %b : memref<32xi8>
  %s = arith.select %c, %a, %b : memref<32xi8>
  %v = memref.view %s[%c0][] : memref<32xi8> to memref<4xf32>
  lifetime.start %v : memref<4xf32>
  memref.copy %out, %v : memref<4xf32> to memref<4xf32>
  lifetime.end %v : memref<4xf32>
  lifetime.end %other : memref<4xf32>
  return
}
