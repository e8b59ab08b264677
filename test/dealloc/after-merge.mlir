// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s

// The buffer that a loop begins with lies in an arena, which is freed behind the loop. A view of it
// has another address than the arena, but the arena does not end where the loop hands its buffers on.

// CHECK-LABEL: func.func @begins_in_an_arena(
// CHECK: %[[ARENA:.*]] = memref.alloc() : memref<128xi8>
// CHECK: %[[R:.*]]:3 = scf.while
// CHECK: %[[NEXT:.*]] = memref.alloc() : memref<75xi8>
// CHECK: scf.if
// CHECK: memref.dealloc %{{.*}} {stowage.by_bit}
// CHECK: scf.yield %{{.*}}, %[[NEXT]], %{{.*}}
// CHECK-NOT: memref.dealloc %{{[a-z0-9_]+}} :
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
func.func @begins_in_an_arena(%n: index, %value: i8, %out: memref<75xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = memref.alloc() : memref<128xi8>
  %a = memref.view %arena[%c1][] : memref<128xi8> to memref<75xi8>
  memref.copy %out, %a : memref<75xi8> to memref<75xi8>
  %r:3 = scf.while (%i = %c0, %x = %a, %y = %a)
      : (index, memref<75xi8>, memref<75xi8>) -> (index, memref<75xi8>, memref<75xi8>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %x, %x : index, memref<75xi8>, memref<75xi8>
  } do {
  ^bb0(%i: index, %p: memref<75xi8>, %q: memref<75xi8>):
    %next = memref.alloc() : memref<75xi8>
    memref.copy %q, %next : memref<75xi8> to memref<75xi8>
    memref.store %value, %p[%c0] : memref<75xi8>
    memref.copy %q, %out : memref<75xi8> to memref<75xi8>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %next, %p : index, memref<75xi8>, memref<75xi8>
  }
  memref.dealloc %arena : memref<128xi8>
  return
}
