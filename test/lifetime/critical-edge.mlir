// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --insert-lifetimes=form=value --verify-lifetimes | FileCheck %s
// RUN: stowage-opt %s --insert-lifetimes --verify-lifetimes | FileCheck %s

// On the edge from the body to the exit there is no place for an end, and in the exit the buffer
// does not exist: it gets no markers.
// CHECK-LABEL: func @critical
// CHECK-NOT: lifetime
// CHECK: return
func.func @critical(%n: index, %c: i1, %x: memref<3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %a = memref.alloca() : memref<3xi32>
  memref.copy %x, %a : memref<3xi32> to memref<3xi32>
  cf.cond_br %c, ^exit, ^latch
^latch:
  memref.copy %a, %x : memref<3xi32> to memref<3xi32>
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^exit:
  return
}
