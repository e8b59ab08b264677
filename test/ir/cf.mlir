// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// Branches between blocks. A buffer is live on every path from a write to a read.

// A block argument is one of what the branches pass.

// CHECK-LABEL: func @argument
func.func @argument(%c: i1, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.cond_br %c, ^use(%a : memref<8xf32>), ^use(%arg : memref<8xf32>)
^use(%p: memref<8xf32>):
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %p[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// %a is read again in the next round, after %t was written.

// CHECK-LABEL: func @loop
func.func @loop(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^body
^body:
  %v = memref.load %a[%c0] : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %t[%c0] : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  cf.cond_br %c, ^body, ^exit
^exit:
  memref.dealloc %a : memref<8xf32>
  return
}

// A dealloc on each exit is no conditional dealloc.

// CHECK-LABEL: func @two_exits
func.func @two_exits(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {{offset|left_alone}}
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %v = memref.load %a[%c0] : memref<8xf32>
  cf.cond_br %c, ^one, ^two
^one:
  memref.dealloc %a : memref<8xf32>
  return
^two:
  memref.dealloc %a : memref<8xf32>
  // CHECK: {{offset|left_alone}}
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @diamond
func.func @diamond(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.cond_br %c, ^left, ^right
^left:
  // CHECK: {{offset|left_alone}}
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %t[%c0] : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  cf.br ^join
^right:
  cf.br ^join
^join:
  %v = memref.load %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

// A loop that can be entered in two places.

// CHECK-LABEL: func @irreducible
func.func @irreducible(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.store %x, %t[%c0] : memref<8xf32>
  cf.cond_br %c, ^one, ^two
^one:
  %v = memref.load %a[%c0] : memref<8xf32>
  cf.br ^two
^two:
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.store %w, %t[%c1] : memref<8xf32>
  cf.cond_br %c, ^one, ^exit
^exit:
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}

// The order of blocks in the text is not the order of execution.

// CHECK-LABEL: func @blocks_out_of_order
func.func @blocks_out_of_order(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^second
^third:
  %v = memref.load %a[%c0] : memref<8xf32>
  %w = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
^second:
  memref.store %x, %b[%c0] : memref<8xf32>
  cf.br ^third
}

// A block that nothing branches to.

// CHECK-LABEL: func @unreachable
func.func @unreachable(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  return
^never:
  // CHECK: left_alone = "unreachable"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

// Uses in blocks that nothing branches to, among them a loop of such blocks, break nothing.

// CHECK-LABEL: func @unreachable_user
func.func @unreachable_user(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: {{offset = 0|left_alone}}
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: {{offset = 0|left_alone}}
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
^never:
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^never_too(%b : memref<8xf32>)
^never_too(%p: memref<8xf32>):
  memref.store %x, %p[%c0] : memref<8xf32>
  cf.br ^never
}

// A function that never returns has no exit to free an arena on.

// CHECK-LABEL: func @self_loop
func.func @self_loop(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.br ^forever
^forever:
  %v = memref.load %a[%c0] : memref<8xf32>
  cf.br ^forever
}

// CHECK-LABEL: func @switch
func.func @switch(%f: i32, %x: f32, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %t = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  cf.switch %f : i32, [default: ^use(%arg : memref<8xf32>), 7: ^use(%a : memref<8xf32>)]
^use(%p: memref<8xf32>):
  memref.store %x, %t[%c0] : memref<8xf32>
  %v = memref.load %p[%c0] : memref<8xf32>
  %w = memref.load %t[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %t : memref<8xf32>
  return
}
