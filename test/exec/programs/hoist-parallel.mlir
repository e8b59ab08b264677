// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves --hoist | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=hoist-parallel \
// RUN:   | mlir-opt --pass-pipeline="builtin.module(func.func(scf-forall-to-parallel),async-parallel-for{num-workers=4 min-task-size=1})" -o %t
// RUN: %python %root/exec/harness.py run %t --async --level 1 | FileCheck %s

// Parallel loops of several shapes: one dimension, two with steps and bounds that do not divide,
// one that never runs, a forall in a sequential loop. Every iteration writes its buffers before it
// reads them, and none may see another's; the second run has threads.

// CHECK: {{^}}18895{{$}}
// CHECK: {{^}}-272{{$}}
// CHECK: {{^}}348{{$}}

func.func @main() {
  call @one_dimension() : () -> ()
  call @two_dimensions() : () -> ()
  call @forall() : () -> ()
  return
}

func.func @one_dimension() {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c60 = arith.constant 60 : index
  %out = memref.alloc() : memref<64xi64>
  %zero = arith.constant 0 : i64
  linalg.fill ins(%zero : i64) outs(%out : memref<64xi64>)
  scf.parallel (%i) = (%c3) to (%c60) step (%c4) {
    %k = arith.index_cast %i : index to i64
    %t = memref.alloc() : memref<64xi64>
    linalg.fill ins(%k : i64) outs(%t : memref<64xi64>)
    %v = memref.load %t[%i] : memref<64xi64>
    memref.dealloc %t : memref<64xi64>
    %u = memref.alloc() : memref<64xi64>
    linalg.fill ins(%v : i64) outs(%u : memref<64xi64>)
    %w = memref.load %u[%i] : memref<64xi64>
    memref.dealloc %u : memref<64xi64>
    %s = arith.muli %w, %k : i64
    memref.store %s, %out[%i] : memref<64xi64>
    scf.reduce
  }
  call @show_sum(%out) : (memref<64xi64>) -> ()
  memref.dealloc %out : memref<64xi64>
  return
}

func.func @two_dimensions() {
  %cm5 = arith.constant -5 : index
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<64xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<64xi64>)
  scf.parallel (%i, %j) = (%cm5, %c2) to (%c6, %c7) step (%c3, %c2) {
    %sum = arith.addi %i, %j : index
    %k = arith.index_cast %sum : index to i64
    %a = memref.alloc() : memref<3xi64>
    %b = memref.alloc() : memref<5xi64>
    linalg.fill ins(%k : i64) outs(%a : memref<3xi64>)
    linalg.fill ins(%k : i64) outs(%b : memref<5xi64>)
    %v = memref.load %a[%c2] : memref<3xi64>
    %w = memref.load %b[%c2] : memref<5xi64>
    memref.dealloc %a : memref<3xi64>
    memref.dealloc %b : memref<5xi64>
    %p = arith.muli %v, %w : i64
    %m = arith.subi %v, %p : i64
    %low = arith.subi %i, %cm5 : index
    %row = arith.muli %low, %c3 : index
    %at = arith.addi %row, %j : index
    memref.store %m, %out[%at] : memref<64xi64>
    scf.reduce
  }
  scf.parallel (%i) = (%c8) to (%c0) step (%c2) {
    %a = memref.alloc() : memref<3xi64>
    linalg.fill ins(%zero : i64) outs(%a : memref<3xi64>)
    %v = memref.load %a[%c2] : memref<3xi64>
    memref.store %v, %out[%i] : memref<64xi64>
    memref.dealloc %a : memref<3xi64>
    scf.reduce
  }
  call @show_sum(%out) : (memref<64xi64>) -> ()
  memref.dealloc %out : memref<64xi64>
  return
}

func.func @forall() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i64
  %out = memref.alloc() : memref<64xi64>
  linalg.fill ins(%zero : i64) outs(%out : memref<64xi64>)
  scf.for %n = %c0 to %c2 step %c1 {
    %before = memref.alloc() : memref<7xi64>
    linalg.fill ins(%zero : i64) outs(%before : memref<7xi64>)
    %first = memref.load %before[%n] : memref<7xi64>
    memref.dealloc %before : memref<7xi64>
    scf.forall (%i, %j) = (0, 2) to (7, 9) step (2, 3) {
      %row = arith.muli %i, %c8 : index
      %at = arith.addi %row, %j : index
      %k = arith.index_cast %at : index to i64
      %t = memref.alloc() : memref<9xi64>
      linalg.fill ins(%k : i64) outs(%t : memref<9xi64>)
      %v = memref.load %t[%j] : memref<9xi64>
      %w = arith.muli %v, %v : i64
      memref.dealloc %t : memref<9xi64>
      %u = memref.alloc() : memref<16xi32>
      %narrow = arith.trunci %v : i64 to i32
      linalg.fill ins(%narrow : i32) outs(%u : memref<16xi32>)
      %x = memref.load %u[%j] : memref<16xi32>
      memref.dealloc %u : memref<16xi32>
      %wide = arith.extsi %x : i32 to i64
      %y = arith.subi %wide, %v : i64
      %z = arith.addi %y, %k : i64
      %q = arith.addi %z, %first : i64
      memref.store %q, %out[%at] : memref<64xi64>
    }
  }
  call @show_sum(%out) : (memref<64xi64>) -> ()
  memref.dealloc %out : memref<64xi64>
  return
}

func.func private @show_sum(%m: memref<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (i64) {
    %v = memref.load %m[%i] : memref<64xi64>
    %n = arith.addi %s, %v : i64
    scf.yield %n : i64
  }
  call @printI64(%sum) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func private @printI64(i64)
func.func private @printNewline()
