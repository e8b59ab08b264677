// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation=tighten | FileCheck %s --check-prefix=TIGHT

// A function whose own deallocs account for an argument on every path takes it over: it is freed, or
// becomes a result that is the caller's.

// CHECK-LABEL: func.func @grow(
// CHECK-NOT: clone
// CHECK: memref.dealloc %arg0
// CHECK-NOT: memref.dealloc
// CHECK: return
// TIGHT-LABEL: func.func @grow(
// TIGHT: scf.if
// TIGHT-NEXT: memref.dealloc %arg0
// TIGHT-NEXT: memref.alloc
func.func @grow(%m: memref<?xf32>, %c: i1, %n: index) -> memref<?xf32> {
  %r = scf.if %c -> memref<?xf32> {
    %g = memref.alloc(%n) : memref<?xf32>
    memref.dealloc %m : memref<?xf32>
    scf.yield %g : memref<?xf32>
  } else {
    scf.yield %m : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// The result is the caller's to free, what it gave is not.
// CHECK-LABEL: func.func @gives_away(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NEXT: %[[R:.*]] = call @grow(%[[A]]
// CHECK-NEXT: memref.load %[[R]]
// CHECK-NEXT: memref.dealloc %[[R]]
// CHECK-NEXT: return
func.func @gives_away(%c: i1, %n: index) -> f32 {
  %a = memref.alloc(%n) : memref<?xf32>
  %r = call @grow(%a, %c, %n) : (memref<?xf32>, i1, index) -> memref<?xf32>
  %v = memref.load %r[%n] : memref<?xf32>
  return %v : f32
}

// A loop that carries it is left by the last result, which the function gives its caller.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-NOT: {{clone|dealloc}}
// CHECK: return
func.func @in_a_loop(%m: memref<?xf32>, %c: i1, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %m) -> memref<?xf32> {
    %y = func.call @grow(%x, %c, %i) : (memref<?xf32>, i1, index) -> memref<?xf32>
    scf.yield %y : memref<?xf32>
  }
  return %r : memref<?xf32>
}

// Of two arguments it takes the second one over; the first one stays its caller's.
// CHECK-LABEL: func.func @takes_the_second(
// CHECK-NOT: {{clone|dealloc}}
// CHECK: return
func.func @takes_the_second(%a: memref<?xf32>, %b: memref<?xf32>, %c: i1, %n: index) -> (memref<?xf32>, memref<?xf32>) {
  %r = call @grow(%b, %c, %n) : (memref<?xf32>, i1, index) -> memref<?xf32>
  memref.copy %a, %r : memref<?xf32> to memref<?xf32>
  return %a, %r : memref<?xf32>, memref<?xf32>
}
// CHECK-LABEL: func.func @frees_the_first(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK-NEXT: %[[B:.*]] = memref.alloc
// CHECK-NEXT: %[[R:.*]]:2 = call @takes_the_second(%[[A]], %[[B]]
// CHECK-NEXT: memref.load %[[R]]#0
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: memref.load %[[R]]#1
// CHECK-NEXT: memref.dealloc %[[R]]#1
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @frees_the_first(%c: i1, %n: index) -> f32 {
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %r:2 = call @takes_the_second(%a, %b, %c, %n) : (memref<?xf32>, memref<?xf32>, i1, index) -> (memref<?xf32>, memref<?xf32>)
  %v = memref.load %r#0[%n] : memref<?xf32>
  %w = memref.load %r#1[%n] : memref<?xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// What it gives is not its own: then nobody knows whose the result is, and it is left alone.
// CHECK-LABEL: func.func @gives_what_it_was_lent(
// CHECK-NOT: dealloc
// CHECK: return
// REMARK: taken-over.mlir:[[# @LINE + 2]]:8: remark: [Missed] left-alone {{.*}}it may be what the call was given, which was not the caller's to give
func.func @gives_what_it_was_lent(%m: memref<?xf32>, %c: i1, %n: index) -> f32 {
  %r = call @grow(%m, %c, %n) : (memref<?xf32>, i1, index) -> memref<?xf32>
  %v = memref.load %r[%n] : memref<?xf32>
  %w = memref.load %m[%n] : memref<?xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

// It uses the old name behind the call, as if it knew that its buffer comes back.
// CHECK-LABEL: func.func @uses_the_old_name(
// CHECK-NOT: {{clone|dealloc}}
// CHECK: memref.dealloc
// CHECK-NOT: dealloc
// CHECK: return
// REMARK: taken-over.mlir:[[# @LINE + 3]]:8: remark: [Missed] left-alone {{.*}}shows no single owner
// REMARK: taken-over.mlir:[[# @LINE + 3]]:8: remark: [Missed] left-alone {{.*}}shows no single owner
func.func @uses_the_old_name(%c: i1, %n: index) -> f32 {
  %a = memref.alloc(%n) : memref<?xf32>
  %r = call @grow(%a, %c, %n) : (memref<?xf32>, i1, index) -> memref<?xf32>
  %v = memref.load %a[%n] : memref<?xf32>
  memref.dealloc %r : memref<?xf32>
  return %v : f32
}

// A struct of numbers beside the result keeps nothing, and a view is given as its buffer is.
// CHECK-LABEL: func.func @beside_numbers(
// CHECK-NOT: {{clone|dealloc}}
// CHECK: return
func.func @beside_numbers(%m: memref<?xf32>, %s: !llvm.struct<(array<2 x i64>)>, %c: i1, %n: index) -> (memref<?xf32>, !llvm.struct<(array<2 x i64>)>) {
  %r = call @grow(%m, %c, %n) : (memref<?xf32>, i1, index) -> memref<?xf32>
  return %r, %s : memref<?xf32>, !llvm.struct<(array<2 x i64>)>
}
// CHECK-LABEL: func.func @numbers_keep_nothing(
// CHECK: %[[R:.*]]:2 = call @beside_numbers
// CHECK: memref.dealloc %[[R]]#0
func.func @numbers_keep_nothing(%s: !llvm.struct<(array<2 x i64>)>, %c: i1, %n: index) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %r:2 = call @beside_numbers(%b, %s, %c, %n) : (memref<?xf32>, !llvm.struct<(array<2 x i64>)>, i1, index) -> (memref<?xf32>, !llvm.struct<(array<2 x i64>)>)
  %v = memref.load %r#0[%n] : memref<?xf32>
  return %v : f32
}
