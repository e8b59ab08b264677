// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s

// What callees do that are not decided before their callers: recursive ones, and ones behind pointers.

memref.global "private" @state : memref<4xf32> = dense<1.0>

// It frees its first argument and gives its second one back: nothing is cloned or freed again.
// CHECK-LABEL: func.func @frees_and_recurs(
// CHECK: memref.alloc
// CHECK-NEXT: call @frees_and_recurs
// CHECK-NOT: memref.alloc
// CHECK: memref.dealloc %arg1
// CHECK-NEXT: return %arg2
func.func @frees_and_recurs(%c: i1, %a: memref<4xf32>, %b: memref<4xf32>) -> memref<4xf32> {
  %false = arith.constant false
  cf.cond_br %c, ^again, ^done
^again:
  %x = memref.alloc() : memref<4xf32>
  %r = func.call @frees_and_recurs(%false, %x, %b) : (i1, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  memref.copy %r, %b : memref<4xf32> to memref<4xf32>
  cf.br ^done
^done:
  memref.dealloc %a : memref<4xf32>
  return %b : memref<4xf32>
}

// CHECK-LABEL: func.func @its_caller(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @its_caller(%c: i1, %b: memref<4xf32>) {
  %x = memref.alloc() : memref<4xf32>
  %r = call @frees_and_recurs(%c, %x, %b) : (i1, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  memref.copy %r, %b : memref<4xf32> to memref<4xf32>
  return
}

// A result that is new on some returns is so on all, and the recursive call knows it.
// CHECK-LABEL: func.func @new_or_recursive(
// CHECK: ^bb1:
// CHECK-NEXT: %[[R:.*]] = call @new_or_recursive
// CHECK-NEXT: return %[[R]]
// CHECK: ^bb2:
// CHECK-NEXT: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %arg1, %[[C]]
// CHECK-NEXT: return %[[C]]
// CHECK: ^bb3:
// CHECK-NEXT: %[[A:.*]] = memref.alloc
// CHECK-NEXT: return %[[A]]
func.func @new_or_recursive(%n: i32, %a: memref<4xf32>) -> memref<4xf32> {
  cf.switch %n : i32, [default: ^again, 0: ^same, 1: ^new]
^again:
  %r = func.call @new_or_recursive(%n, %a) : (i32, memref<4xf32>) -> memref<4xf32>
  return %r : memref<4xf32>
^same:
  return %a : memref<4xf32>
^new:
  %b = memref.alloc() : memref<4xf32>
  return %b : memref<4xf32>
}

// The second of two functions that call each other writes what the first one may have cloned.
func.func @writes(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %r = func.call @cloned_before(%false, %x) : (i1, f32) -> memref<4xf32>
  %g = memref.get_global @state : memref<4xf32>
  memref.store %x, %g[%c0] : memref<4xf32>
  return
}
// CHECK-LABEL: func.func private @cloned_before(
// CHECK: scf.if
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: call @writes
// CHECK: %[[CLONE:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %{{.*}}, %[[CLONE]]
// CHECK: return
func.func private @cloned_before(%c: i1, %x: f32) -> memref<4xf32> {
  %g = memref.get_global @state : memref<4xf32>
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %g : memref<4xf32>
  } else {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %g, %a : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  scf.if %c {
    func.call @writes(%c, %x) : (i1, f32) -> ()
  }
  return %r : memref<4xf32>
}

func.func private @same(%a: memref<4xf32>) -> memref<4xf32> {
  return %a : memref<4xf32>
}
func.func private @frees(%a: memref<4xf32>) {
  memref.dealloc %a : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @gets_its_argument_back(
// CHECK: call_indirect
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @gets_its_argument_back(%a: memref<4xf32>, %out: memref<4xf32>) {
  %f = func.constant @same : (memref<4xf32>) -> memref<4xf32>
  %r = func.call_indirect %f(%a) : (memref<4xf32>) -> memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @frees_by_pointer(
// CHECK: call_indirect
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @frees_by_pointer() {
  %a = memref.alloc() : memref<4xf32>
  %f = func.constant @frees : (memref<4xf32>) -> ()
  func.call_indirect %f(%a) : (memref<4xf32>) -> ()
  return
}

func.func private @unseen(memref<4xf32>, i1) -> memref<4xf32>
func.func private @another(%a: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return %b : memref<4xf32>
}

// The result is the argument, or another buffer: to free both may be twice.
// CHECK-LABEL: func.func @may_be_unseen(
// CHECK: call_indirect
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @may_be_unseen(%c: i1, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %out, %a : memref<4xf32> to memref<4xf32>
  %f = func.constant @unseen : (memref<4xf32>, i1) -> memref<4xf32>
  %g = func.constant @another : (memref<4xf32>, i1) -> memref<4xf32>
  %h = arith.select %c, %f, %g : (memref<4xf32>, i1) -> memref<4xf32>
  %r = func.call_indirect %h(%a, %c) : (memref<4xf32>, i1) -> memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// So it is with any function that has as many arguments and results.
// CHECK-LABEL: func.func @by_any_address(
// CHECK: call_indirect
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @by_any_address(%f: (memref<4xf32>, i1) -> memref<4xf32>, %c: i1, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %out, %a : memref<4xf32> to memref<4xf32>
  %r = func.call_indirect %f(%a, %c) : (memref<4xf32>, i1) -> memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
