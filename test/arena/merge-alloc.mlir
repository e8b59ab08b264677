// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --merge-alloc -o %t.twice
// RUN: stowage-opt %s --merge-alloc -o %t.once
// RUN: cmp %t.once %t.twice
// RUN: stowage-opt %s --merge-alloc=dealloc-arena=false | FileCheck %s --check-prefix=KEEP
// RUN: stowage-opt %s --merge-alloc=analysis-only | FileCheck %s --check-prefix=LIVES

// Four layers of a perceptron: the third reuses the first's memory, the second lies in the result, which is not yet
// written then.

// CHECK-LABEL: func @mlp
// CHECK-NEXT:    %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<65536xi8>
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[A:.*]] = memref.view %[[POOL]][%[[C0]]][] : memref<65536xi8> to memref<128x128xf32>
// CHECK-NEXT:    linalg.matmul ins(%{{.*}}, %{{.*}}) outs(%[[A]] :
// CHECK-NEXT:    %[[RESULT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<65536xi8>
// CHECK-NEXT:    %[[D0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[B:.*]] = memref.view %[[RESULT]][%[[D0]]][]
// CHECK-NEXT:    linalg.matmul ins(%[[A]], %{{.*}}) outs(%[[B]] :
// CHECK-NEXT:    %[[C:.*]] = memref.view %[[POOL]][%[[C0]]][]
// CHECK-NEXT:    linalg.matmul ins(%[[B]], %{{.*}}) outs(%[[C]] :
// CHECK-NEXT:    %[[D:.*]] = memref.view %[[RESULT]][%[[D0]]][] : memref<65536xi8> to memref<128x128xf32>
// CHECK-NEXT:    linalg.matmul ins(%[[C]], %{{.*}}) outs(%[[D]] :
// CHECK-NEXT:    memref.dealloc %[[POOL]]
// CHECK-NEXT:    return %[[D]]
// KEEP-LABEL: func @mlp
// KEEP-NOT:     dealloc
// KEEP-LABEL: func @arena_alone
// LIVES-LABEL: func @mlp
// LIVES:         stowage.life = array<i64: 1, 12>, stowage.offset = 0
// LIVES:         stowage.lent_by = 0 : i64, stowage.life = array<i64: 7, 18>, stowage.offset = 0
// LIVES:         stowage.life = array<i64: 13, 24>, stowage.offset = 0
// LIVES:         stowage.left_alone = "returned"
func.func @mlp(%x: memref<128x128xf32>, %y: memref<128x128xf32>) -> memref<128x128xf32> {
  %a = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%x, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%a : memref<128x128xf32>)
  %b = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%b : memref<128x128xf32>)
  %c = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%b, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%c : memref<128x128xf32>)
  %d = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%c, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%d : memref<128x128xf32>)
  return %d : memref<128x128xf32>
}

// A buffer that is alone goes in, too, also one of bytes; one that is an arena already does not.

// CHECK-LABEL: func @alone
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:         memref.dealloc
func.func @alone(%x: f32) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  return
}

// CHECK-LABEL: func @bytes_alone
// CHECK:         %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xi8>
// CHECK:         memref.dealloc %[[A]]
func.func @bytes_alone(%x: i8) {
  %a = memref.alloc() : memref<8xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<8xi8>)
  return
}

// Different element types share one buffer; memory spaces do not.

// CHECK-LABEL: func @types_and_spaces
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK-DAG:     memref.alloc() {alignment = 64 : i64} : memref<32xi8, 1>
func.func @types_and_spaces(%x: f32, %y: f64) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf64>
  linalg.fill ins(%y : f64) outs(%b : memref<8xf64>)
  %c = memref.alloc() : memref<8xf32, 1>
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32, 1>)
  return
}

// Loops and ifs are no scopes; regions whose iterations may run at once are.

// CHECK-LABEL: func @scopes
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:         memref.dealloc
// CHECK:         scf.forall
// CHECK:           %[[OUTER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64xi8>
// CHECK:           memref.dealloc %[[OUTER]]
// CHECK:           scf.forall
// CHECK:             %[[INNER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
// CHECK:             memref.dealloc %[[INNER]]
func.func @scopes(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<8xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  }
  scf.forall (%i) in (%n) {
    %b = memref.alloc() : memref<16xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    scf.forall (%j) in (%n) {
      %c = memref.alloc() : memref<4xf32>
      linalg.fill ins(%x : f32) outs(%c : memref<4xf32>)
    }
  }
  return
}

// Used in a loop, defined outside, not overwritten as a whole: the whole loop. Defined inside: just
// where it is used.

// LIVES-LABEL: func @loop_lives
// LIVES:         %[[A:.*]] = memref.alloc() {stowage.life = array<i64: [[BEGIN:[0-9]+]], [[END:[0-9]+]]>, stowage.offset = 0
// LIVES:         %[[B:.*]] = memref.alloc() {stowage.life = array<i64: [[BEGIN]], [[END]]>, stowage.offset = 64
func.func @loop_lives(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %a[%i] : memref<16xf32>
    %v = memref.load %a[%c0] : memref<16xf32>
    memref.store %v, %b[%i] : memref<16xf32>
    %w = memref.load %b[%c0] : memref<16xf32>
  }
  return
}

// LIVES-LABEL: func @defined_in_loop
// LIVES:         stowage.offset = 0
// LIVES:         stowage.offset = 0
func.func @defined_in_loop(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<16xf32>
    %b = memref.alloc() : memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %v = memref.load %a[%c0] : memref<16xf32>
    memref.store %v, %b[%i] : memref<16xf32>
    %w = memref.load %b[%c0] : memref<16xf32>
  }
  return
}

// Ops without effects do not count, views count for their base.

// LIVES-LABEL: func @views
// LIVES:         memref.alloc() {stowage.life = array<i64: 3, 5>
func.func @views(%x: f32) {
  %a = memref.alloc() : memref<16xf32>
  %s = memref.subview %a[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %c0 = arith.constant 0 : index
  memref.store %x, %s[%c0] : memref<8xf32, strided<[1]>>
  %v = memref.load %a[%c0] : memref<16xf32>
  %t = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  return
}

// CHECK-LABEL: func @dynamic
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32>
// LIVES-LABEL: func @dynamic
// LIVES:         stowage.left_alone = "dynamic-shape"
func.func @dynamic(%n: index, %x: f32) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  return
}

// Nothing is given a view of what is freed, not even where nobody will touch it.

// CHECK-LABEL: func @handed_on
// CHECK:         scf.if
// CHECK:           scf.yield
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
func.func @handed_on(%c: i1, %x: f32, %o: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  memref.copy %a, %o : memref<8xf32> to memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %o : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func @arena_alone
// CHECK:         memref.alloc() : memref<8xi8>
// CHECK-NOT:     memref.view
func.func @arena_alone(%x: i8) {
  %a = memref.alloc() : memref<8xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<8xi8>)
  memref.dealloc %a : memref<8xi8>
  return
}
