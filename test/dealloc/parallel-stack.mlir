// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation -o %t.freed.mlir
// RUN: stowage-opt %t.freed.mlir --promote-allocs-to-stack -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: stowage-opt %t.mlir --canonicalize -o %t.folded.mlir
// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: sh -c 'ulimit -s 1024; %python %root/exec/harness.py run %t.mlir' 2> %t.heap | FileCheck %s
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: sh -c 'ulimit -s 1024; %python %root/exec/harness.py run %t.folded.mlir' | FileCheck %s
// RUN: stowage-opt %t.freed.mlir --buffer-deallocation | diff %t.freed.mlir -

// A parallel loop is lowered to blocks, and stack memory made in its body is given back when the
// function returns: 3,000 iterations that take a KiB each, or 150,000 that take a bit, are more
// than a stack of a MiB. So in iterations that may run at once buffers and bits are on the heap.

// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0

func.func private @printI64(i64)
func.func private @printNewline()

func.func @slots(%n: index, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  // IR-LABEL: func.func @slots(
  // IR: scf.parallel
  // IR-NEXT: memref.alloc() : memref<128xi64>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<128xi64>
    linalg.fill ins(%one : i64) outs(%a : memref<128xi64>)
    %x = memref.load %a[%c1] : memref<128xi64>
    memref.store %x, %out[%i] : memref<?xi64>
    memref.dealloc %a : memref<128xi64>
    scf.reduce
  }
  // IR: scf.forall
  // IR-NEXT: memref.alloc() : memref<128xi64>
  scf.forall (%i) in (%n) {
    %a = memref.alloc() : memref<128xi64>
    %z = memref.load %out[%i] : memref<?xi64>
    linalg.fill ins(%z : i64) outs(%a : memref<128xi64>)
    %x = memref.load %a[%c1] : memref<128xi64>
    %y = arith.addi %x, %one : i64
    memref.store %y, %out[%i] : memref<?xi64>
    memref.dealloc %a : memref<128xi64>
  }
  // IR: affine.parallel
  // IR-NEXT: memref.alloc() : memref<128xi64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %a = memref.alloc() : memref<128xi64>
    %z = memref.load %out[%i] : memref<?xi64>
    linalg.fill ins(%z : i64) outs(%a : memref<128xi64>)
    %x = memref.load %a[%c1] : memref<128xi64>
    %y = arith.addi %x, %one : i64
    memref.store %y, %out[%i] : memref<?xi64>
    memref.dealloc %a : memref<128xi64>
  }
  return
}

// IR-LABEL: func.func @bits(
// IR: scf.parallel
// IR-NEXT: %[[BIT:.*]] = memref.alloc() : memref<i1>
// IR: memref.dealloc %{{.*}} {stowage.by_bit} : memref<8xi64>
// IR: memref.dealloc %{{.*}} {stowage.by_bit} : memref<8xi64>
// IR: memref.dealloc %[[BIT]] : memref<i1>
// IR-NEXT: scf.reduce
func.func @bits(%n: index, %given: memref<8xi64>, %out: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %turns = arith.remui %i, %c3 : index
    %r = scf.for %j = %c0 to %turns step %c1 iter_args(%b = %given) -> memref<8xi64> {
      %a = memref.alloc() : memref<8xi64>
      %old = memref.load %b[%c1] : memref<8xi64>
      %new = arith.addi %old, %one : i64
      linalg.fill ins(%new : i64) outs(%a : memref<8xi64>)
      scf.yield %a : memref<8xi64>
    }
    %x = memref.load %r[%c1] : memref<8xi64>
    memref.store %x, %out[%i] : memref<?xi64>
    scf.reduce
  }
  return
}

// A reduction's body is run in each iteration, too.
// IR-LABEL: func.func @reduced(
// IR: scf.reduce
// IR: ^bb0
// IR-NEXT: %[[BIT:.*]] = memref.alloc() : memref<i1>
// IR: memref.dealloc %[[BIT]] : memref<i1>
// IR-NEXT: scf.reduce.return
func.func @reduced(%n: index, %given: memref<8xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
    scf.reduce(%one : i64) {
    ^bb0(%left: i64, %right: i64):
      %low = arith.trunci %left : i64 to i1
      %turns = arith.index_castui %low : i1 to index
      %r = scf.for %j = %c0 to %turns step %c1 iter_args(%b = %given) -> memref<8xi64> {
        %a = memref.alloc() : memref<8xi64>
        linalg.fill ins(%right : i64) outs(%a : memref<8xi64>)
        scf.yield %a : memref<8xi64>
      }
      %x = memref.load %r[%c1] : memref<8xi64>
      %s = arith.addi %left, %x : i64
      scf.reduce.return %s : i64
    }
  }
  return %sum : i64
}

func.func @print(%x: i64) {
  call @printI64(%x) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %few = arith.constant 3000 : index
  %many = arith.constant 150000 : index
  %five = arith.constant 5 : i64
  %out = memref.alloc(%many) : memref<?xi64>
  %given = memref.alloc() : memref<8xi64>
  linalg.fill ins(%five : i64) outs(%given : memref<8xi64>)
  call @slots(%few, %out) : (index, memref<?xi64>) -> ()
  %x = memref.load %out[%c1] : memref<?xi64>
  // CHECK: 3
  call @print(%x) : (i64) -> ()
  call @bits(%many, %given, %out) : (index, memref<8xi64>, memref<?xi64>) -> ()
  %y = memref.load %out[%c5] : memref<?xi64>
  // CHECK-NEXT: 7
  call @print(%y) : (i64) -> ()
  %z = call @reduced(%many, %given) : (index, memref<8xi64>) -> i64
  // CHECK-NEXT: 450000
  call @print(%z) : (i64) -> ()
  memref.dealloc %given : memref<8xi64>
  memref.dealloc %out : memref<?xi64>
  return
}
