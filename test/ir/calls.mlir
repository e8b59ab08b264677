// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null
// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none unknown-ops=use" | FileCheck %s --check-prefixes=USE

func.func private @extern(memref<8xf32>)
func.func private @extern_same(memref<8xf32>) -> memref<8xf32>
memref.global "private" @slot : memref<1xmemref<8xf32>>

// CHECK-LABEL: func @reads
// USE-LABEL: func @reads
func.func @reads(%p: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[%c0] : memref<8xf32>
  return %v : f32
}
func.func @returns(%p: memref<8xf32>) -> memref<8xf32> {
  return %p : memref<8xf32>
}
func.func @frees(%p: memref<8xf32>) {
  memref.dealloc %p : memref<8xf32>
  return
}
func.func @keeps(%p: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %s = memref.get_global @slot : memref<1xmemref<8xf32>>
  memref.store %p, %s[%c0] : memref<1xmemref<8xf32>>
  return
}
func.func @keeps_deep(%p: memref<8xf32>) {
  %q = call @returns(%p) : (memref<8xf32>) -> memref<8xf32>
  call @keeps(%q) : (memref<8xf32>) -> ()
  return
}

// A body that only reads: the buffers share.

// CHECK-LABEL: func @to_reader
func.func @to_reader(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %v = call @reads(%a) : (memref<8xf32>) -> f32
  memref.dealloc %a : memref<8xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %v, %b[%c0] : memref<8xf32>
  %w = call @reads(%b) : (memref<8xf32>) -> f32
  memref.dealloc %b : memref<8xf32>
  return %w : f32
}

// A body that returns its argument: the result keeps the buffer alive.

// CHECK-LABEL: func @to_returner
func.func @to_returner(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "{{no-partner|passed-to-call}}"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = call @returns(%a) : (memref<8xf32>) -> memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %w = memref.load %r[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return %w : f32
}

// CHECK-LABEL: func @to_keeper
func.func @to_keeper() {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<8xf32>
  call @keeps(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @to_deep_keeper
func.func @to_deep_keeper() {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<8xf32>
  call @keeps_deep(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @to_freer
func.func @to_freer() {
  // CHECK: left_alone = "{{freed-elsewhere|passed-to-call|no-dealloc}}"
  %a = memref.alloc() : memref<8xf32>
  call @frees(%a) : (memref<8xf32>) -> ()
  return
}

// Without a body, the option decides.

// CHECK-LABEL: func @to_extern
// USE-LABEL: func @to_extern
func.func @to_extern() {
  // CHECK: left_alone = "passed-to-call"
  // USE: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  call @extern(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  // CHECK: left_alone = "passed-to-call"
  // USE: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  call @extern(%b) : (memref<8xf32>) -> ()
  memref.dealloc %b : memref<8xf32>
  return
}

// ... and with unknown-ops=use it may still return what it was given: %a lives until %r's last use.

// CHECK-LABEL: func @to_extern_returner
// USE-LABEL: func @to_extern_returner
func.func @to_extern_returner(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "passed-to-call"
  // USE: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  %r = call @extern_same(%a) : (memref<8xf32>) -> memref<8xf32>
  // USE: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %w = memref.load %r[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  %s = arith.addf %v, %w : f32
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return %s : f32
}

// A dealloc of a call's result may free the argument or something else: with either policy the
// argument is left alone.

// CHECK-LABEL: func @result_freed
// USE-LABEL: func @result_freed
func.func @result_freed() {
  // CHECK: left_alone = "passed-to-call"
  // USE: left_alone
  %a = memref.alloc() : memref<8xf32>
  %r = call @extern_same(%a) : (memref<8xf32>) -> memref<8xf32>
  memref.dealloc %r : memref<8xf32>
  return
}

// CHECK-LABEL: func @indirect
func.func @indirect(%f: (memref<8xf32>) -> ()) {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<8xf32>
  call_indirect %f(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

// Recursion ends in an answer.

// CHECK-LABEL: func @recursive
func.func @recursive(%p: memref<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref.alloc() {stowage
  %a = memref.alloc() : memref<8xf32>
  %m = arith.subi %n, %c1 : index
  %v = call @recursive(%a, %m) : (memref<8xf32>, index) -> f32
  memref.dealloc %a : memref<8xf32>
  return %v : f32
}

func.func @mutual_a(%p: memref<8xf32>) -> memref<8xf32> {
  %r = call @mutual_b(%p) : (memref<8xf32>) -> memref<8xf32>
  return %r : memref<8xf32>
}
func.func @mutual_b(%p: memref<8xf32>) -> memref<8xf32> {
  %r = call @mutual_a(%p) : (memref<8xf32>) -> memref<8xf32>
  call @keeps(%p) : (memref<8xf32>) -> ()
  return %r : memref<8xf32>
}

// CHECK-LABEL: func @to_mutual
func.func @to_mutual() {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<8xf32>
  %r = call @mutual_a(%a) : (memref<8xf32>) -> memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

// A function's address may be taken and its callers unknown; its own buffers are its own.

// CHECK-LABEL: func @callee_owns
func.func @callee_owns(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %v = memref.load %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %v, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return %v : f32
}

// A function that calls itself only reads, also where the call gives its argument back: the buffers
// share.

func.func @reads_and_recurs(%p: memref<8xf32>, %n: index) -> f32 {
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %deeper = call @reads_and_recurs(%p, %m) : (memref<8xf32>, index) -> f32
  %v = memref.load %p[%n] : memref<8xf32>
  %s = arith.addf %v, %deeper : f32
  return %s : f32
}
func.func @gives_back(%p: memref<8xf32>, %c: i1) -> memref<8xf32> {
  cf.cond_br %c, ^done(%p : memref<8xf32>), ^deeper
^deeper:
  %r = call @gives_back(%p, %c) : (memref<8xf32>, i1) -> memref<8xf32>
  cf.br ^done(%r : memref<8xf32>)
^done(%given: memref<8xf32>):
  return %given : memref<8xf32>
}

// CHECK-LABEL: func @to_recursive_reader
func.func @to_recursive_reader(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %v = call @reads_and_recurs(%a, %n) : (memref<8xf32>, index) -> f32
  memref.dealloc %a : memref<8xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %v, %b[%c0] : memref<8xf32>
  %w = call @reads_and_recurs(%b, %n) : (memref<8xf32>, index) -> f32
  memref.dealloc %b : memref<8xf32>
  return %w : f32
}

// CHECK-LABEL: func @to_recursive_returner
func.func @to_recursive_returner(%x: f32, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = call @gives_back(%a, %c) : (memref<8xf32>, i1) -> memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = call @reads_and_recurs(%r, %n) : (memref<8xf32>, index) -> f32
  %w = memref.load %b[%c0] : memref<8xf32>
  %s = arith.addf %v, %w : f32
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return %s : f32
}

// Two calls deep in a circle of three, one of the arguments is stored, and only that.

func.func @circle_a(%p: memref<8xf32>, %q: memref<8xf32>) {
  call @circle_b(%q, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func @circle_b(%p: memref<8xf32>, %q: memref<8xf32>) {
  call @circle_c(%p, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func @circle_c(%p: memref<8xf32>, %q: memref<8xf32>) {
  call @keeps(%q) : (memref<8xf32>) -> ()
  call @circle_a(%q, %q) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// CHECK-LABEL: func @to_circle
func.func @to_circle() {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  call @circle_a(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// Arguments take turns, so that it takes as many rounds as there are until all are known to be kept:
// that is not waited for.

!b = memref<8xf32>
func.func @rotates(%0: !b, %1: !b, %2: !b, %3: !b, %4: !b, %5: !b, %6: !b, %7: !b, %8: !b, %9: !b,
                   %10: !b, %11: !b, %12: !b, %13: !b, %14: !b, %15: !b, %16: !b, %17: !b) {
  call @keeps(%0) : (!b) -> ()
  call @rotates(%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %0)
      : (!b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b) -> ()
  return
}

// CHECK-LABEL: func @to_rotation
func.func @to_rotation(%p: !b) {
  // CHECK: left_alone = "passed-to-call"
  %a = memref.alloc() : !b
  call @rotates(%p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %a)
      : (!b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b, !b) -> ()
  memref.dealloc %a : !b
  return
}
