// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=pool-all | FileCheck %s

// The arena is freed on every path out, exactly once.

// CHECK-LABEL: func @two_exits
// CHECK:         %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64}
// CHECK:         cf.cond_br
// CHECK:         memref.dealloc %[[POOL]]
// CHECK-NEXT:    return
// CHECK:         memref.dealloc %[[POOL]]
// CHECK-NEXT:    return
// CHECK-NOT:     memref.dealloc
// CHECK:       }
func.func @two_exits(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
^two:
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// An exit that no buffer reaches still frees the arena that was made before.

// CHECK-LABEL: func @early
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT:     memref.dealloc
// CHECK:       }
func.func @early(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^out, ^go
^out:
  return
^go:
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// The returned value is read before the arena goes.

// CHECK-LABEL: func @value
// CHECK:         %[[V:.*]] = memref.load
// CHECK:         memref.dealloc
// CHECK-NEXT:    return %[[V]]
func.func @value(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return %v : f32
}

// The first block is the arena's, whatever loops lie behind it.

// CHECK-LABEL: func @entry
// CHECK-NEXT:    %{{.*}} = memref.alloc() {alignment = 64 : i64}
func.func @entry(%c: i1, %x: f32) {
  cf.br ^loop
^loop:
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  cf.cond_br %c, ^loop, ^out
^out:
  return
}

// A tail that ends in something else than a return: an llvm.unreachable frees nothing, and harms
// nothing.

// CHECK-LABEL: func @aborts
func.func @aborts(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  cf.cond_br %c, ^ok, ^bad
^ok:
  return
^bad:
  llvm.unreachable
}
