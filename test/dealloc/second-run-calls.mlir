// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation > %t.once
// RUN: stowage-opt %t.once --buffer-deallocation | diff %t.once -
// RUN: FileCheck %s < %t.once

// A second run changes nothing where functions call each other, either.

// An address that the first run compares, to know who owns, is not kept by the function: what its callers pass
// stays theirs to free.

// CHECK-LABEL: func.func private @compares(
// CHECK: memref.extract_aligned_pointer_as_index {{.*}}stowage.by_bit

func.func private @gives_new(%a: memref<4xi64>, %b: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rem = arith.remsi %n, %two : index
  %odd = arith.cmpi eq, %rem, %c1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<4xi64>) {
    %v1 = memref.alloc() : memref<4xi64>
    %v2 = memref.alloc() : memref<4xi64>
    %v4 = func.constant @other : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
    %v5 = func.constant @other : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
    %v6 = arith.select %odd, %v4, %v5 : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
    %v3 = func.call_indirect %v6(%v2, %v1, %m) : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
    scf.yield %v1 : memref<4xi64>
  } else {
    %v7 = memref.alloc() : memref<4xi64>
    scf.yield %v7 : memref<4xi64>
  }
  return %r : memref<4xi64>
}

func.func private @other(%a: memref<4xi64>, %b: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<4xi64>) {
    %v1 = scf.for %i1 = %c0 to %n step %c1 iter_args(%y1 = %b) -> memref<4xi64> {
      %v2 = memref.alloc() : memref<4xi64>
      %v3 = func.call @other(%v2, %y1, %m) : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
      scf.yield %v3 : memref<4xi64>
    }
    %v5 = scf.for %i5 = %c0 to %n step %c1 iter_args(%y5 = %v1) -> memref<4xi64> {
      %v6 = func.call @compares(%y5, %b, %m) : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
      scf.yield %b : memref<4xi64>
    }
    scf.yield %b : memref<4xi64>
  } else {
    scf.yield %b : memref<4xi64>
  }
  return %r : memref<4xi64>
}

func.func private @compares(%a: memref<4xi64>, %b: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rem = arith.remsi %n, %two : index
  %odd = arith.cmpi eq, %rem, %c1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<4xi64>) {
    %v1 = func.call @gives_new(%a, %a, %m) : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
    %v3 = scf.for %i3 = %c0 to %n step %c1 iter_args(%y3 = %a) -> memref<4xi64> {
      %v6 = scf.if %odd -> memref<4xi64> {
        scf.yield %y3 : memref<4xi64>
      } else {
        %v12 = memref.alloc() : memref<4xi64>
        %v13 = func.call @other(%v12, %v1, %m) : (memref<4xi64>, memref<4xi64>, index) -> memref<4xi64>
        scf.yield %v13 : memref<4xi64>
      }
      scf.yield %v6 : memref<4xi64>
    }
    scf.yield %v3 : memref<4xi64>
  } else {
    scf.yield %b : memref<4xi64>
  }
  return %r : memref<4xi64>
}

// One of the functions that one call may call is thought to own its argument, and does not. That another one does not
// own its result followed from that alone.

func.func private @frees(%a: memref<2xi64>, %b: memref<2xi64>, %n: index) -> memref<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rem = arith.remsi %n, %two : index
  %odd = arith.cmpi eq, %rem, %c1 : index
  %m = arith.subi %n, %c1 : index
  memref.dealloc %a : memref<2xi64>
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<2xi64>) {
    %v1 = scf.for %i1 = %c0 to %n step %c1 iter_args(%y1 = %b) -> memref<2xi64> {
      %v3 = memref.alloc() : memref<2xi64>
      scf.yield %v3 : memref<2xi64>
    }
    %v5 = func.constant @through : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v10 = memref.alloc() : memref<2xi64>
    %v8 = func.constant @frees : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v9 = arith.select %odd, %v8, %v5 : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v4 = func.call_indirect %v9(%v10, %v1, %m) : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v11 = memref.alloc() : memref<2xi64>
    scf.yield %v11 : memref<2xi64>
  } else {
    scf.yield %b : memref<2xi64>
  }
  return %r : memref<2xi64>
}

func.func private @gives_new_or_first(%a: memref<2xi64>, %b: memref<2xi64>, %n: index) -> memref<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rem = arith.remsi %n, %two : index
  %odd = arith.cmpi eq, %rem, %c1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<2xi64>) {
    %v2 = func.constant @through : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v3 = func.constant @gives_new_or_first : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v4 = arith.select %odd, %v2, %v3 : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v1 = func.call_indirect %v4(%b, %a, %m) : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v5 = arith.select %odd, %v1, %a : memref<2xi64>
    scf.yield %v5 : memref<2xi64>
  } else {
    %v8 = memref.alloc() : memref<2xi64>
    scf.yield %v8 : memref<2xi64>
  }
  return %r : memref<2xi64>
}

func.func private @through(%a: memref<2xi64>, %b: memref<2xi64>, %n: index) -> memref<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rem = arith.remsi %n, %two : index
  %odd = arith.cmpi eq, %rem, %c1 : index
  %m = arith.subi %n, %c1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> (memref<2xi64>) {
    %v1 = func.call @gives_new_or_first(%b, %b, %m) : (memref<2xi64>, memref<2xi64>, index) -> memref<2xi64>
    %v2 = arith.select %odd, %v1, %v1 : memref<2xi64>
    scf.yield %v2 : memref<2xi64>
  } else {
    %v4 = memref.alloc() : memref<2xi64>
    scf.yield %v4 : memref<2xi64>
  }
  return %r : memref<2xi64>
}

// What a callee makes is no name of what it is given, in closed regions, too: its dealloc there says nothing of %a.

// CHECK-LABEL: func.func @gives_or_not(
// CHECK: async.execute
// CHECK-NEXT: %[[N:.*]] = func.call @fresh(
// CHECK-NEXT: memref.dealloc %[[N]]
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc

func.func private @fresh(%a: memref<4xi64>) -> memref<4xi64> {
  %n = memref.alloc() : memref<4xi64>
  memref.copy %a, %n : memref<4xi64> to memref<4xi64>
  return %n : memref<4xi64>
}

func.func @gives_or_not(%c: i1, %x: memref<4xi64>) -> memref<4xi64> {
  %a = memref.alloc() : memref<4xi64>
  %t = async.execute {
    %n = func.call @fresh(%a) : (memref<4xi64>) -> memref<4xi64>
    async.yield
  }
  async.await %t : !async.token
  %r = arith.select %c, %a, %x : memref<4xi64>
  return %r : memref<4xi64>
}

// The same of a function without a body that only borrows.

// CHECK-LABEL: func.func @lends_and_gives(
// CHECK: scf.if
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: memref.dealloc

func.func private @copied(memref<4xi64> {llvm.nocapture}) -> memref<4xi64>

func.func @lends_and_gives(%c: i1, %x: memref<4xi64>) -> memref<4xi64> {
  %a = memref.alloc() : memref<4xi64>
  %t = async.execute {
    %n = func.call @copied(%a) : (memref<4xi64>) -> memref<4xi64>
    async.yield
  }
  async.await %t : !async.token
  %r = arith.select %c, %a, %x : memref<4xi64>
  return %r : memref<4xi64>
}
