// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation > %t.bits
// RUN: stowage-opt %t.bits --allow-unregistered-dialect --buffer-deallocation | diff %t.bits -
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=prefer=clones > %t.clones
// RUN: stowage-opt %t.clones --allow-unregistered-dialect --buffer-deallocation=prefer=clones | diff %t.clones -
// RUN: FileCheck %s < %t.bits

// A second run finds the owners that the first one chose, and changes nothing.

// What an inner loop carries is lent by the outer loop's argument, though that is freed behind it.

// CHECK-LABEL: func.func @carried_through(
// CHECK: scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK: scf.for {{.*}} iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK-NEXT: scf.yield %[[INNER]]
// CHECK: %[[NEW:.*]] = memref.alloc()
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc %[[OUTER]] : memref<4xi64>
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK: memref.dealloc %[[NEW]] : memref<4xi64>
// CHECK-NEXT: scf.yield %[[OUTER]]
func.func @carried_through(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (memref<4xi64>) {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (memref<4xi64>) {
      scf.yield %y : memref<4xi64>
    }
    %new = memref.alloc() : memref<4xi64>
    %next = arith.select %c, %new, %x : memref<4xi64>
    scf.yield %next : memref<4xi64>
  }
  return
}

// The block behind a loop is lent what the loop carries.

// CHECK-LABEL: func.func @behind_block_loop(
// CHECK: cf.cond_br %{{.*}}, ^bb2, ^bb3(%[[X:.*]] : memref<4xi64>)
// CHECK: memref.dealloc %[[X]] : memref<4xi64>
// CHECK: ^bb3(%[[OUT:.*]]: memref<4xi64>):
// CHECK-NEXT: memref.dealloc %[[X]] : memref<4xi64>
// CHECK-NEXT: return
func.func @behind_block_loop(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xi64>
  cf.br ^head(%c0, %first : index, memref<4xi64>)
^head(%i: index, %x: memref<4xi64>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^out(%x : memref<4xi64>)
^body:
  %new = memref.alloc() : memref<4xi64>
  %next = arith.select %c, %new, %x : memref<4xi64>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %next : index, memref<4xi64>)
^out(%y: memref<4xi64>):
  return
}

// A function that frees by a bit keeps nothing of what it is given, and still gives what it gave.

// CHECK-LABEL: func.func @give(
// CHECK: memref.dealloc %{{.*}} {stowage.by_bit}
// CHECK-LABEL: func.func @taker(
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}})
// CHECK-NEXT: %[[GIVEN:.*]] = func.call @give(%{{.*}}, %{{.*}}, %[[OLD]])
// CHECK-NEXT: memref.dealloc %[[OLD]] : memref<4xi64>
// CHECK-NEXT: scf.yield %[[GIVEN]]
func.func @give(%c: i1, %d: i1, %arg: memref<4xi64>) -> memref<4xi64> {
  cf.cond_br %c, ^make, ^use(%arg : memref<4xi64>)
^make:
  %a = memref.alloc() : memref<4xi64>
  cf.cond_br %d, ^use(%a : memref<4xi64>), ^out(%a : memref<4xi64>)
^use(%x: memref<4xi64>):
  "test.use"(%x) : (memref<4xi64>) -> ()
  %b = memref.alloc() : memref<4xi64>
  cf.br ^out(%b : memref<4xi64>)
^out(%r: memref<4xi64>):
  return %r : memref<4xi64>
}
func.func @taker(%c: i1, %d: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.alloc() : memref<4xi64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %first) -> (memref<4xi64>) {
    %given = func.call @give(%c, %d, %x) : (i1, i1, memref<4xi64>) -> memref<4xi64>
    scf.yield %given : memref<4xi64>
  }
  "test.use"(%r) : (memref<4xi64>) -> ()
  return
}

// What a first run freed by a bit, callers added later may rely on.

// CHECK-LABEL: func.func private @given_by_bit(
// CHECK-LABEL: func.func @later_caller(
// CHECK: %[[MINE:.*]] = memref.alloc()
// CHECK-NEXT: %[[GIVEN:.*]] = call @given_by_bit(%{{.*}}, %{{.*}}, %[[MINE]])
// CHECK-NEXT: memref.dealloc %[[MINE]]
// CHECK-NEXT: "test.use"(%[[GIVEN]])
// CHECK-NEXT: memref.dealloc %[[GIVEN]]
func.func private @given_by_bit(%c: i1, %d: i1, %arg: memref<4xi64>) -> memref<4xi64> {
  %bit = memref.alloca() : memref<i1>
  %false = arith.constant false
  %true = arith.constant true
  memref.store %false, %bit[] : memref<i1>
  cf.cond_br %c, ^make, ^use(%arg : memref<4xi64>)
^make:
  %a = memref.alloc() : memref<4xi64>
  memref.store %true, %bit[] : memref<i1>
  cf.cond_br %d, ^use(%a : memref<4xi64>), ^out(%a : memref<4xi64>)
^use(%x: memref<4xi64>):
  "test.use"(%x) : (memref<4xi64>) -> ()
  %owns = memref.load %bit[] : memref<i1>
  scf.if %owns {
    memref.dealloc %x {stowage.by_bit} : memref<4xi64>
  }
  %b = memref.alloc() : memref<4xi64>
  cf.br ^out(%b : memref<4xi64>)
^out(%r: memref<4xi64>):
  return %r : memref<4xi64>
}
func.func @later_caller(%c: i1, %d: i1) {
  %mine = memref.alloc() : memref<4xi64>
  %given = func.call @given_by_bit(%c, %d, %mine) : (i1, i1, memref<4xi64>) -> memref<4xi64>
  "test.use"(%given) : (memref<4xi64>) -> ()
  return
}
