// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null
// RUN: stowage-opt %s --buffer-reuse | FileCheck %s --check-prefix=REWRITE
// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none unknown-ops=use require-dealloc=false" | FileCheck %s --check-prefix=ANY

// A dealloc that may free one of several buffers binds all of them.

// Both are planned and both deallocs go: together the two free %a and %b, whatever %c is.

// CHECK-LABEL: func @select
// REWRITE-LABEL: func @select
// REWRITE-NOT: memref.dealloc
// REWRITE: memref.dealloc %[[ARENA:.*]] : memref<{{.*}}xi8>
// REWRITE-NOT: memref.dealloc
// REWRITE: return
func.func @select(%c: i1) {
  // CHECK: stowage.offset
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  // CHECK: stowage.offset
  %b = memref.alloc() : memref<8xf32>
  memref.copy %b, %b : memref<8xf32> to memref<8xf32>
  %s = arith.select %c, %a, %b : memref<8xf32>
  %o = arith.select %c, %b, %a : memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

// One dealloc for two: whichever it frees, the other leaks; planning both would free both.

// CHECK-LABEL: func @argument
func.func @argument(%c: i1, %arg: memref<8xf32>) {
  // CHECK: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %s = arith.select %c, %a, %arg : memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  return
}

// CHECK-LABEL: func @call_result
func.func private @make() -> memref<8xf32>
func.func @call_result(%c: i1) {
  // CHECK: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %r = call @make() : () -> memref<8xf32>
  %s = arith.select %c, %a, %r : memref<8xf32>
  %o = arith.select %c, %r, %a : memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

// CHECK-LABEL: func @dynamic
func.func @dynamic(%c: i1, %n: index) {
  // CHECK: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  // CHECK: left_alone = "dynamic-shape"
  %d = memref.alloc(%n) : memref<?xf32>
  memref.copy %d, %d : memref<?xf32> to memref<?xf32>
  %ac = memref.cast %a : memref<8xf32> to memref<?xf32>
  %s = arith.select %c, %ac, %d : memref<?xf32>
  %o = arith.select %c, %d, %ac : memref<?xf32>
  memref.dealloc %s : memref<?xf32>
  memref.dealloc %o : memref<?xf32>
  return
}

// A loaded memref may be anything that was stored.

// CHECK-LABEL: func @loaded
func.func @loaded(%c: i1, %box: memref<1xmemref<8xf32>>) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %l = memref.load %box[%c0] : memref<1xmemref<8xf32>>
  %s = arith.select %c, %a, %l : memref<8xf32>
  %o = arith.select %c, %l, %a : memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

// Binding is transitive: %b shares a dealloc with %a, %a one with an argument.

// CHECK-LABEL: func @chain
func.func @chain(%c: i1, %d: i1, %arg: memref<8xf32>) {
  // CHECK: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  // CHECK: left_alone = "shared-dealloc"
  %b = memref.alloc() : memref<8xf32>
  memref.copy %b, %b : memref<8xf32> to memref<8xf32>
  %s = arith.select %c, %a, %arg : memref<8xf32>
  %o = arith.select %c, %arg, %a : memref<8xf32>
  %t = arith.select %d, %s, %b : memref<8xf32>
  %u = arith.select %d, %b, %s : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  memref.dealloc %u : memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

// CHECK-LABEL: func @if_result
func.func @if_result(%c: i1, %arg: memref<8xf32>) {
  %r = scf.if %c -> memref<8xf32> {
    // CHECK: left_alone = "{{shared-dealloc|conditional-dealloc}}"
    %a = memref.alloc() : memref<8xf32>
    memref.copy %a, %a : memref<8xf32> to memref<8xf32>
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %arg : memref<8xf32>
  }
  memref.dealloc %r : memref<8xf32>
  return
}

// CHECK-LABEL: func @loop_carried
func.func @loop_carried(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> memref<8xf32> {
    // CHECK: left_alone = "loop-carried"
    %b = memref.alloc() : memref<8xf32>
    memref.copy %b, %b : memref<8xf32> to memref<8xf32>
    memref.dealloc %p : memref<8xf32>
    scf.yield %b : memref<8xf32>
  }
  memref.dealloc %r : memref<8xf32>
  return
}

// CHECK-LABEL: func @block_argument
func.func @block_argument(%c: i1, %arg: memref<8xf32>) {
  // CHECK: left_alone = "{{shared-dealloc|conditional-dealloc}}"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  cf.cond_br %c, ^exit(%a : memref<8xf32>), ^exit(%arg : memref<8xf32>)
^exit(%p: memref<8xf32>):
  memref.dealloc %p : memref<8xf32>
  return
}

// Only one branch frees it.

// CHECK-LABEL: func @conditional
func.func @conditional(%c: i1) {
  // CHECK: left_alone = "conditional-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  scf.if %c {
    memref.dealloc %a : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @conditional_block
func.func @conditional_block(%c: i1) {
  // CHECK: left_alone = "conditional-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  cf.cond_br %c, ^free, ^exit
^free:
  memref.dealloc %a : memref<8xf32>
  cf.br ^exit
^exit:
  return
}

// Both branches free it: no path is left out.

// CHECK-LABEL: func @both_branches
func.func @both_branches(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: {{stowage.offset = 0|"conditional-dealloc"}}
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  scf.if %c {
    memref.dealloc %a : memref<8xf32>
  } else {
    memref.dealloc %a : memref<8xf32>
  }
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A dealloc in a loop that may run never.

// CHECK-LABEL: func @in_loop
func.func @in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "conditional-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.dealloc %a : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @none
func.func @none(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "no-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  return
}

// bufferization.dealloc decides at run time what it frees.

// CHECK-LABEL: func @not_lowered
// ANY-LABEL: func @not_lowered
func.func @not_lowered(%c: i1, %arg: memref<8xf32>) {
  // CHECK: left_alone = "freed-elsewhere"
  // ANY: left_alone = "freed-elsewhere"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  bufferization.dealloc (%a : memref<8xf32>) if (%c)
  return
}

// CHECK-LABEL: func @realloc
// ANY-LABEL: func @realloc
func.func @realloc() {
  // ANY: left_alone = "freed-elsewhere"
  // CHECK: left_alone = "freed-elsewhere"
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %r = memref.realloc %a : memref<8xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

// A dealloc frees the whole buffer however little of it it names.

// CHECK-LABEL: func @of_view
func.func @of_view(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %s = memref.cast %a : memref<8xf32> to memref<*xf32>
  memref.dealloc %s : memref<*xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// One path frees %a by its name, the other through the if's result, which frees %b on the first. No
// path needs both: they may share bytes.

// CHECK-LABEL: func @by_name_or_by_result
func.func @by_name_or_by_result(%x: f32, %c: i1) {
  %c0 = arith.constant 0 : index
  // CHECK: stowage.life = array<i64: 2, 4, 8, 11>, stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    // CHECK: stowage.life = array<i64: 5, 8, 9, 11>, stowage.offset = 0
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    scf.yield %b : memref<8xf32>
  } else {
    scf.yield %a : memref<8xf32>
  }
  %v = memref.load %r[%c0] : memref<8xf32>
  memref.dealloc %r : memref<8xf32>
  %z = memref.alloc() : memref<8xf32>
  memref.store %x, %z[%c0] : memref<8xf32>
  memref.dealloc %z : memref<8xf32>
  return
}
