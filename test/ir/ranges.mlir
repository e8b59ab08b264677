// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=analysis-only | FileCheck %s

// Where control does not need a buffer it is not live: pieces, and pairs that exclude each other.

// CHECK-LABEL: func @both_arms
// CHECK:         memref.alloc() {{{.*}}stowage.offset = 0
// CHECK:         memref.alloc() {{{.*}}stowage.offset = 256
// CHECK:         memref.alloc() {{{.*}}stowage.offset = 256
func.func @both_arms(%c: i1, %x: f32, %out: memref<64xf32>) {
  %keep = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%keep : memref<64xf32>)
  %r = scf.if %c -> memref<64xf32> {
    %a = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
    scf.yield %a : memref<64xf32>
  } else {
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
    scf.yield %b : memref<64xf32>
  }
  linalg.add ins(%r, %keep : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// The arm's buffer is read by its own name after the other was written: they need both.

// CHECK-LABEL: func @needed_beside
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 256
func.func @needed_beside(%c: i1, %x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %r = arith.select %c, %a, %b : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%r : memref<64xf32>)
  linalg.add ins(%a, %r : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// CHECK-LABEL: func @cond_br
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 0
func.func @cond_br(%c: i1, %x: f32, %out: memref<64xf32>) {
  cf.cond_br %c, ^left, ^right
^left:
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  cf.br ^join(%a : memref<64xf32>)
^right:
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  cf.br ^join(%b : memref<64xf32>)
^join(%r: memref<64xf32>):
  memref.copy %r, %out : memref<64xf32> to memref<64xf32>
  return
}

// CHECK-LABEL: func @switch
// CHECK-COUNT-3: stowage.offset = 0
func.func @switch(%i: index, %x: f32, %out: memref<64xf32>) {
  %r = scf.index_switch %i -> memref<64xf32>
  case 0 {
    %a = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
    scf.yield %a : memref<64xf32>
  }
  case 1 {
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
    scf.yield %b : memref<64xf32>
  }
  default {
    %d = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%d : memref<64xf32>)
    scf.yield %d : memref<64xf32>
  }
  memref.copy %r, %out : memref<64xf32> to memref<64xf32>
  return
}

// Written before, read in one arm: the other arm may use the bytes.

// CHECK-LABEL: func @arm_without
// CHECK:         stowage.life = array<i64: {{[0-9]+, [0-9]+, [0-9]+, [0-9]+}}>, stowage.offset = 0
// CHECK:         stowage.offset = 0
func.func @arm_without(%c: i1, %x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  scf.if %c {
    %b = memref.alloc() : memref<64xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
    memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  } else {
    memref.copy %a, %out : memref<64xf32> to memref<64xf32>
  }
  return
}

// CHECK-LABEL: func @overwritten
// CHECK:         stowage.life = array<i64: 2, 4, 6, 8>, stowage.offset = 0
// CHECK:         stowage.life = array<i64: 4, 6>, stowage.offset = 0
func.func @overwritten(%p: memref<64xf32>, %q: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %p, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  memref.copy %q, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  memref.copy %p, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  return
}

// Overwritten in part, or while other iterations may read: it stays live.

// CHECK-LABEL: func @overwritten_in_part
// CHECK:         stowage.life = array<i64: 3, 9>, stowage.offset = 0
// CHECK:         stowage.offset = 256
func.func @overwritten_in_part(%p: memref<64xf32>, %h: memref<32xf32>, %q: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  memref.copy %p, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  memref.copy %q, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  memref.copy %h, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  memref.copy %a, %q : memref<64xf32> to memref<64xf32>
  return
}

// CHECK-LABEL: func @overwritten_at_once
// CHECK:         stowage.life = array<i64: [[BEGIN:[0-9]+]], [[END:[0-9]+]]>
// CHECK:         stowage.life = array<i64: [[BEGIN]], [[END]]>
func.func @overwritten_at_once(%n: index, %p: memref<64xf32>, %q: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.forall (%i) in (%n) {
    memref.copy %p, %a : memref<64xf32> to memref<64xf32>
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    memref.copy %p, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %q : memref<64xf32> to memref<64xf32>
  }
  return
}

// A declaration's word for what it does with its arguments.

func.func private @borrow(memref<64xf32> {llvm.nocapture}, memref<64xf32> {stowage.nocapture}, memref<64xf32>)

// CHECK-LABEL: func @borrowed
// CHECK:         stowage.life
// CHECK:         stowage.life
// CHECK:         stowage.left_alone = "passed-to-call"
func.func @borrowed(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  linalg.fill ins(%x : f32) outs(%c : memref<64xf32>)
  call @borrow(%a, %b, %c) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  return
}

// An op that overwrites it reads it, too, by a name that is made inside of the op.

// CHECK-LABEL: func @overwritten_by_its_reader
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 256
func.func @overwritten_by_its_reader(%c: i1, %x: f32, %q: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%out : memref<64xf32>) outs(%a : memref<64xf32>) {
    ^bb0(%in: f32, %old: f32):
      %s = arith.select %c, %a, %q : memref<64xf32>
      %i = linalg.index 0 : index
      %v = memref.load %s[%i] : memref<64xf32>
      linalg.yield %v : f32
  }
  memref.copy %a, %out : memref<64xf32> to memref<64xf32>
  return
}

// One iteration may be in its loop forever, and write there, while another begins and reads.

// CHECK-LABEL: func @stays_in_a_loop
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 256
func.func @stays_in_a_loop(%c: i1, %x: f32, %n: index, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.copy %a, %out : memref<64xf32> to memref<64xf32>
    scf.execute_region {
      cf.cond_br %c, ^stays, ^goes
    ^stays:
      linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
      memref.copy %b, %out : memref<64xf32> to memref<64xf32>
      cf.br ^stays
    ^goes:
      scf.yield
    }
  }
  return
}

// What nothing enters makes no life longer.

// CHECK-LABEL: func @dead_loop
// CHECK:         stowage.life = array<i64: 2, 5, 6, 7>
func.func @dead_loop(%c: i1, %x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  return
^dead:
  %v = memref.load %a[%c0] : memref<64xf32>
  cf.cond_br %c, ^dead, ^dead
}

func.func private @keep(memref<64xf32>)
func.func private @use_what_is_kept()

// Whoever keeps it has no use of it after its end; but there must be one.

// CHECK-LABEL: func @ends
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 0
func.func @ends(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  lifetime.start %a : memref<64xf32>
  call @keep(%a) : (memref<64xf32>) -> ()
  call @use_what_is_kept() : () -> ()
  lifetime.end %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  return
}

// CHECK-LABEL: func @may_not_end
// CHECK:         left_alone = "passed-to-call"
func.func @may_not_end(%c: i1, %x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  lifetime.start %a : memref<64xf32>
  call @keep(%a) : (memref<64xf32>) -> ()
  scf.if %c {
    lifetime.end %a : memref<64xf32>
  }
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  call @use_what_is_kept() : () -> ()
  memref.copy %b, %out : memref<64xf32> to memref<64xf32>
  return
}
