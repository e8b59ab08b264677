// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A branch that is never taken, from behind two loops back to the first: it makes no loop of both, so
// what the second one carries stays carried.

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s

// CHECK: ^bb3:
// CHECK-NEXT: memref.alloc() : memref<4xi32>
#r = affine_map<(i) -> (3 - i)>
#d = affine_map<(i) -> (i)>
func.func @f(%x: memref<4xi32>, %y: memref<4xi32>, %n: i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %a = memref.alloc() : memref<4xi32>
  memref.copy %x, %a : memref<4xi32> to memref<4xi32>
  cf.br ^one(%n, %a : i32, memref<4xi32>)
^one(%h: i32, %p: memref<4xi32>):
  linalg.add ins(%p, %p : memref<4xi32>, memref<4xi32>) outs(%p : memref<4xi32>)
  %k = arith.subi %h, %c1 : i32
  %again = arith.cmpi sgt, %k, %c0 : i32
  cf.cond_br %again, ^one(%k, %p : i32, memref<4xi32>), ^head(%n, %p : i32, memref<4xi32>)
^head(%i: i32, %s: memref<4xi32>):
  %more = arith.cmpi sgt, %i, %c0 : i32
  cf.cond_br %more, ^body, ^exit(%s : memref<4xi32>)
^body:
  %b = memref.alloc() : memref<4xi32>
  linalg.generic {indexing_maps = [#r, #d], iterator_types = ["parallel"]} ins(%s : memref<4xi32>) outs(%b : memref<4xi32>) {
  ^bb0(%v: i32, %o: i32):
    linalg.yield %v : i32
  }
  %j = arith.subi %i, %c1 : i32
  cf.br ^head(%j, %b : i32, memref<4xi32>)
^exit(%e: memref<4xi32>):
  memref.copy %e, %y : memref<4xi32> to memref<4xi32>
  return
^dead:
  cf.br ^one(%c1, %e : i32, memref<4xi32>)
}
