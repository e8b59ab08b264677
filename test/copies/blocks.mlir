// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops of blocks: what an iteration allocates for the next one is made in memory of the loop that
// nobody needs any more. Executed before and after.

// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --elide-copies --merge-alloc="arena=argument entries=two_latches,nested,swapped" | FileCheck %s --check-prefix=FRAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{elide-copies})' | FileCheck %s --check-prefix=SAME

// SAME: equal

// Two ways back to the head, each with an update.
// CHECK-LABEL: func.func @two_latches(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
// FRAME-LABEL: func.func @two_latches(
// FRAME-NOT: memref.alloc
// FRAME: return
func.func @two_latches(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %j = arith.addi %i, %c1 : index
  %r = arith.remsi %i, %c2 : index
  %odd = arith.cmpi eq, %r, %c1 : index
  cf.cond_br %odd, ^up, ^skip
^up:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  cf.br ^head(%j, %b : index, memref<8xi32>)
^skip:
  %c = memref.alloc() : memref<8xi32>
  linalg.mul ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%c : memref<8xi32>)
  cf.br ^head(%j, %c : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// The old one is read when the new one is written.
// SAID: Function=read_after | Reason=carried-blocks{{.*}}'cf.br' gives it to the next iteration of a loop of blocks, and no memory of the loop is free for it"{{.*}}run lift-cf-to-scf and canonicalize before
// CHECK-LABEL: func.func @read_after(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @read_after(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  linalg.add ins(%s, %b : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// The loop ends with the old one.
// SAID: Function=exit_old | Reason=carried-blocks
// CHECK-LABEL: func.func @exit_old(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @exit_old(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^head(%j, %b : index, memref<8xi32>), ^exit
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// It is given to the block behind the loop.
// SAID: Function=exit_old_arg | Reason=carried-blocks
// CHECK-LABEL: func.func @exit_old_arg(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @exit_old_arg(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^head(%j, %b : index, memref<8xi32>), ^exit(%s : memref<8xi32>)
^exit(%e: memref<8xi32>):
  memref.copy %e, %y : memref<8xi32> to memref<8xi32>
  return
}

// The loop ends with the new one.
// CHECK-LABEL: func.func @exit_new(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @exit_new(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^head(%j, %b : index, memref<8xi32>), ^exit(%b : memref<8xi32>)
^exit(%e: memref<8xi32>):
  memref.copy %e, %y : memref<8xi32> to memref<8xi32>
  return
}

// The inner loop carries what the outer one does.
// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
// FRAME-LABEL: func.func @nested(
// FRAME-NOT: memref.alloc
// FRAME: return
func.func @nested(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^pre, ^exit
^pre:
  cf.br ^inner(%c0, %s : index, memref<8xi32>)
^inner(%k: index, %t: memref<8xi32>):
  %again = arith.cmpi slt, %k, %i : index
  cf.cond_br %again, ^body, ^latch
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%t, %t : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %l = arith.addi %k, %c1 : index
  cf.br ^inner(%l, %b : index, memref<8xi32>)
^latch:
  %c = memref.alloc() : memref<8xi32>
  linalg.mul ins(%t, %t : memref<8xi32>, memref<8xi32>) outs(%c : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %c : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// The outer loop reads what the inner one began with.
// SAID: Function=kept_outside | Reason=carried,
// CHECK-LABEL: func.func @kept_outside(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @kept_outside(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^pre, ^exit
^pre:
  cf.br ^inner(%c0, %s : index, memref<8xi32>)
^inner(%k: index, %t: memref<8xi32>):
  %again = arith.cmpi slt, %k, %i : index
  cf.cond_br %again, ^body, ^latch
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%t, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %l = arith.addi %k, %c1 : index
  cf.br ^inner(%l, %b : index, memref<8xi32>)
^latch:
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// The new one is made in the memory of the other one.
// CHECK-LABEL: func.func @swapped(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: ^bb2:
// CHECK: linalg.add ins(%[[S:.*]], %[[Q:.*]] : memref<8xi32>, memref<8xi32>) outs(%[[Q]] : memref<8xi32>)
// CHECK: cf.br ^bb1(%{{.*}}, %[[Q]], %[[S]] :
// FRAME-LABEL: func.func @swapped(
// FRAME-NOT: memref.alloc
// FRAME: return
func.func @swapped(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  %z = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  memref.copy %x, %z : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a, %z : index, memref<8xi32>, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>, %q: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %q : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b, %s : index, memref<8xi32>, memref<8xi32>)
^exit:
  linalg.mul ins(%s, %q : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// The memory of %p is that of %s, so nothing is free for what is read backwards.
// SAID: Function=handed_on | Reason=carried-blocks
// CHECK-LABEL: func.func @handed_on(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @handed_on(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^first(%a : memref<8xi32>)
^first(%p: memref<8xi32>):
  cf.br ^head(%c0, %p : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%s : memref<8xi32>) outs(%b : memref<8xi32>) {
  ^bb0(%v: i32, %o: i32):
    %w = arith.addi %v, %v : i32
    linalg.yield %w : i32
  }
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// SAID: Function=argument | Reason=carried,{{.*}}'func.func' has another name of what the loop begins with
// CHECK-LABEL: func.func @argument(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @argument(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %x : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// What it begins with is read behind the loop.
// SAID: Function=read_behind | Reason=carried,
// CHECK-LABEL: func.func @read_behind(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @read_behind(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  linalg.sub ins(%s, %a : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// Two arguments have one memory.
// SAID: Function=twice | Reason=carried,
// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @twice(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a, %a : index, memref<8xi32>, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>, %q: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %q : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b, %q : index, memref<8xi32>, memref<8xi32>)
^exit:
  linalg.sub ins(%s, %q : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// A view from another block.
// SAID: Function=view_of_old | Reason=carried,{{.*}}'linalg.add'
// CHECK-LABEL: func.func @view_of_old(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @view_of_old(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %v = memref.expand_shape %s [[0, 1]] output_shape [2, 4] : memref<8xi32> into memref<2x4xi32>
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %w = memref.expand_shape %y [[0, 1]] output_shape [2, 4] : memref<8xi32> into memref<2x4xi32>
  linalg.add ins(%v, %w : memref<2x4xi32>, memref<2x4xi32>) outs(%w : memref<2x4xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  linalg.add ins(%s, %y : memref<8xi32>, memref<8xi32>) outs(%y : memref<8xi32>)
  return
}

// A view that is read in its own block only, of a buffer that another block updates.
// CHECK-LABEL: func.func @view_in_head(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @view_in_head(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %v = memref.expand_shape %s [[0, 1]] output_shape [2, 4] : memref<8xi32> into memref<2x4xi32>
  %l = memref.load %v[%c0, %c1] : memref<2x4xi32>
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  memref.store %l, %y[%c0] : memref<8xi32>
  return
}

// CHECK-LABEL: func.func @returned(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @returned(%x: memref<8xi32>, %n: index) -> memref<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  return %s : memref<8xi32>
}

// Kept in each iteration.
// SAID: Function=stored | Reason=carried,{{.*}}'memref.store' may keep
// CHECK-LABEL: func.func @stored(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @stored(%x: memref<8xi32>, %y: memref<8xi32>, %n: index, %box: memref<64xmemref<8xi32>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  memref.store %s, %box[%i] : memref<64xmemref<8xi32>>
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// It is allocated in another block than the one that gives it on.
// SAID: Function=between | Reason=carried-blocks
// CHECK-LABEL: func.func @between(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @between(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^head(%c0, %a : index, memref<8xi32>)
^head(%i: index, %s: memref<8xi32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %r = arith.remsi %i, %c2 : index
  %odd = arith.cmpi eq, %r, %c1 : index
  cf.cond_br %odd, ^more, ^latch
^more:
  linalg.add ins(%b, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  cf.br ^latch
^latch:
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %b : index, memref<8xi32>)
^exit:
  memref.copy %s, %y : memref<8xi32> to memref<8xi32>
  return
}

// In a block that nothing reaches, all names stand for all memory.
// CHECK-LABEL: func.func @unreached(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT: memref.alloc()
func.func @unreached(%x: memref<8xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xi32>
  memref.copy %x, %a : memref<8xi32> to memref<8xi32>
  cf.br ^end(%a : memref<8xi32>)
^dead(%s: memref<8xi32>):
  %b = memref.alloc() : memref<8xi32>
  linalg.add ins(%s, %s : memref<8xi32>, memref<8xi32>) outs(%b : memref<8xi32>)
  %more = arith.cmpi slt, %n, %c0 : index
  cf.cond_br %more, ^dead(%b : memref<8xi32>), ^end(%s : memref<8xi32>)
^end(%e: memref<8xi32>):
  memref.copy %e, %y : memref<8xi32> to memref<8xi32>
  return
}

// CHECK-LABEL: func.func private @printI64
func.func private @printI64(i64)
func.func private @printNewline()
func.func @show(%m: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %m[%i] : memref<8xi32>
    %w = arith.extsi %v : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func @main() {
  %n = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %x = memref.alloc() : memref<8xi32>
  %y = memref.alloc() : memref<8xi32>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x, %y : memref<8xi32>, memref<8xi32>) {
  ^bb0(%o: i32, %p: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %c3 = arith.constant 3 : i32
    %v = arith.addi %k, %c3 : i32
    linalg.yield %v, %k : i32, i32
  }
  call @two_latches(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @read_after(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @exit_old(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @exit_old_arg(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @exit_new(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @nested(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @kept_outside(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @swapped(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @handed_on(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @argument(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @read_behind(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @twice(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @view_of_old(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @view_in_head(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  call @between(%x, %y, %n) : (memref<8xi32>, memref<8xi32>, index) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  %r = call @returned(%x, %n) : (memref<8xi32>, index) -> memref<8xi32>
  call @show(%r) : (memref<8xi32>) -> ()
  %box = memref.alloc() : memref<64xmemref<8xi32>>
  call @stored(%x, %y, %n, %box) : (memref<8xi32>, memref<8xi32>, index, memref<64xmemref<8xi32>>) -> ()
  call @show(%y) : (memref<8xi32>) -> ()
  %kept = memref.load %box[%c2] : memref<64xmemref<8xi32>>
  call @show(%kept) : (memref<8xi32>) -> ()
  return
}
