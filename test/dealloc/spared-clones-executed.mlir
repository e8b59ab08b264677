// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s < %t.heap
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// How often a result is cloned, and that never more than two buffers live: the call of each function
// below says how many allocations it should take.

// HEAP: allocs=15 frees=15
// HEAP-SAME: peak_bytes=1024
// HEAP-SAME: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0

func.func @own_or_given(%c: i1, %given: memref<64xi64>) -> memref<64xi64> {
  %own = call @new() : () -> memref<64xi64>
  %r = scf.if %c -> (memref<64xi64>) {
    scf.yield %given : memref<64xi64>
  } else {
    scf.yield %own : memref<64xi64>
  }
  return %r : memref<64xi64>
}

func.func @lender_needed_later(%c: i1) -> memref<64xi64> {
  %first = call @new() : () -> memref<64xi64>
  cf.cond_br %c, ^join(%first : memref<64xi64>), ^other
^other:
  %second = call @new() : () -> memref<64xi64>
  cf.br ^join(%second : memref<64xi64>)
^join(%r: memref<64xi64>):
  call @add(%first, %r) : (memref<64xi64>, memref<64xi64>) -> ()
  return %r : memref<64xi64>
}

func.func @loop(%given: memref<64xi64>, %n: index) -> memref<64xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %given) -> (memref<64xi64>) {
    %next = func.call @new() : () -> memref<64xi64>
    func.call @add(%x, %next) : (memref<64xi64>, memref<64xi64>) -> ()
    scf.yield %next : memref<64xi64>
  }
  return %r : memref<64xi64>
}

func.func @twice(%c: i1, %given: memref<64xi64>) -> (memref<64xi64>, memref<64xi64>) {
  %r = call @borrowed(%c, %given) : (i1, memref<64xi64>) -> memref<64xi64>
  %own = call @new() : () -> memref<64xi64>
  %s = scf.if %c -> (memref<64xi64>) {
    scf.yield %r : memref<64xi64>
  } else {
    scf.yield %own : memref<64xi64>
  }
  return %s, %s : memref<64xi64>, memref<64xi64>
}

func.func private @borrowed(%c: i1, %given: memref<64xi64>) -> memref<64xi64> {
  return %given : memref<64xi64>
}

func.func private @new() -> memref<64xi64> {
  %own = memref.alloc() : memref<64xi64>
  %seven = arith.constant 7 : i64
  linalg.fill ins(%seven : i64) outs(%own : memref<64xi64>)
  return %own : memref<64xi64>
}

func.func private @add(%a: memref<64xi64>, %b: memref<64xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : memref<64xi64>) outs(%b : memref<64xi64>) {
  ^bb0(%x: i64, %y: i64):
    %s = arith.addi %x, %y : i64
    linalg.yield %s : i64
  }
  return
}

// CHECK-COUNT-11: {{^[0-9]+$}}
func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %five = arith.constant 5 : i64
  %given = memref.alloca() : memref<64xi64>
  linalg.fill ins(%five : i64) outs(%given : memref<64xi64>)

  %a = call @own_or_given(%true, %given) : (i1, memref<64xi64>) -> memref<64xi64> // 2, one at a time
  call @show(%a) : (memref<64xi64>) -> ()
  %b = call @own_or_given(%false, %given) : (i1, memref<64xi64>) -> memref<64xi64> // 1
  call @show(%b) : (memref<64xi64>) -> ()
  %c = call @lender_needed_later(%true) : (i1) -> memref<64xi64> // 1
  call @show(%c) : (memref<64xi64>) -> ()
  %d = call @lender_needed_later(%false) : (i1) -> memref<64xi64> // 2
  call @show(%d) : (memref<64xi64>) -> ()
  %e = call @loop(%given, %c0) : (memref<64xi64>, index) -> memref<64xi64> // 1, a clone
  call @show(%e) : (memref<64xi64>) -> ()
  %f = call @loop(%given, %c1) : (memref<64xi64>, index) -> memref<64xi64> // 1
  call @show(%f) : (memref<64xi64>) -> ()
  %g = call @loop(%given, %c2) : (memref<64xi64>, index) -> memref<64xi64> // 2
  call @show(%g) : (memref<64xi64>) -> ()
  %h:2 = call @twice(%true, %given) : (i1, memref<64xi64>) -> (memref<64xi64>, memref<64xi64>) // 3, two of them clones
  call @show(%h#0) : (memref<64xi64>) -> ()
  call @show(%h#1) : (memref<64xi64>) -> ()
  %i:2 = call @twice(%false, %given) : (i1, memref<64xi64>) -> (memref<64xi64>, memref<64xi64>) // 2, one of them a clone
  call @show(%i#0) : (memref<64xi64>) -> ()
  call @show(%i#1) : (memref<64xi64>) -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%m: memref<64xi64>) {
  %c9 = arith.constant 9 : index
  %v = memref.load %m[%c9] : memref<64xi64>
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
