// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan=max-effort=100 -o /dev/null
// RUN: not stowage-opt %s --check-arena-plan=max-effort=30 -o /dev/null 2>&1 | FileCheck %s

// The ops between a transfer and its wait count as effort.

// CHECK: [[#@LINE+1]]:1: error: was not checked: 30 steps do not suffice; raise max-effort
func.func @f(%x: memref<16xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
  %tag = memref.alloc() : memref<1xi32>
  %v = memref.view %arena[%c0][] : memref<64xi8> to memref<16xf32>
  memref.dma_start %x[%c0], %v[%c0], %c16, %tag[%c0] : memref<16xf32>, memref<16xf32>, memref<1xi32>
  %0 = arith.addi %i, %i : index
  %1 = arith.addi %i, %i : index
  %2 = arith.addi %i, %i : index
  %3 = arith.addi %i, %i : index
  %4 = arith.addi %i, %i : index
  %5 = arith.addi %i, %i : index
  %6 = arith.addi %i, %i : index
  %7 = arith.addi %i, %i : index
  %8 = arith.addi %i, %i : index
  %9 = arith.addi %i, %i : index
  %10 = arith.addi %i, %i : index
  %11 = arith.addi %i, %i : index
  %12 = arith.addi %i, %i : index
  %13 = arith.addi %i, %i : index
  %14 = arith.addi %i, %i : index
  %15 = arith.addi %i, %i : index
  %16 = arith.addi %i, %i : index
  %17 = arith.addi %i, %i : index
  %18 = arith.addi %i, %i : index
  %19 = arith.addi %i, %i : index
  %20 = arith.addi %i, %i : index
  %21 = arith.addi %i, %i : index
  %22 = arith.addi %i, %i : index
  %23 = arith.addi %i, %i : index
  %24 = arith.addi %i, %i : index
  %25 = arith.addi %i, %i : index
  %26 = arith.addi %i, %i : index
  %27 = arith.addi %i, %i : index
  %28 = arith.addi %i, %i : index
  %29 = arith.addi %i, %i : index
  %30 = arith.addi %i, %i : index
  %31 = arith.addi %i, %i : index
  memref.dma_wait %tag[%c0], %c16 : memref<1xi32>
  memref.copy %v, %x : memref<16xf32> to memref<16xf32>
  memref.dealloc %tag : memref<1xi32>
  memref.dealloc %arena : memref<64xi8>
  return
}
