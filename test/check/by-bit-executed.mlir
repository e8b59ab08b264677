// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is freed behind the planner is no part of an arena, also where a bit tells at run time whether a function returns its
// argument. Views on the wrong bytes are found as before.

// DEFINE: %{passes} = merge-alloc{poison},buffer-deallocation
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(%{passes},check-arena-plan)' | FileCheck %s --check-prefix=RUNS
// RUN: stowage-opt %s -o /dev/null --pass-pipeline='builtin.module(stowage-memory{start=merge-alloc},check-arena-plan)'
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{passes})' | FileCheck %s
// RUN: %python %root/check/mutations.py %s --rewrite 'builtin.module(merge-alloc,buffer-deallocation)' --each 30 | FileCheck %s --check-prefix=MUTATED

// RUNS: outputs: 3 lines, equal bit for bit
// CHECK: {stowage.by_bit}
// CHECK: memref.view
// MUTATED: {{[1-9][0-9]*}} wrong when executed, 0 of them not reported

func.func @either(%c: i1, %m: memref<8xi64>) -> memref<8xi64> {
  %c0 = arith.constant 0 : index
  %k = arith.constant 1 : i64
  %r = scf.if %c -> memref<8xi64> {
    %n = memref.alloc() : memref<8xi64>
    linalg.fill ins(%k : i64) outs(%n : memref<8xi64>)
    scf.yield %n : memref<8xi64>
  } else {
    scf.yield %m : memref<8xi64>
  }
  memref.store %k, %r[%c0] : memref<8xi64>
  return %r : memref<8xi64>
}

// Prints the sum of two.
func.func private @show(%a: memref<8xi64>, %b: memref<8xi64>) {
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c1] : memref<8xi64>
  %y = memref.load %b[%c1] : memref<8xi64>
  %s = arith.addi %x, %y : i64
  vector.print %s : i64
  return
}

func.func @main() {
  %no = arith.constant false
  %yes = arith.constant true
  %k3 = arith.constant 3 : i64
  %k5 = arith.constant 50 : i64
  %k7 = arith.constant 700 : i64
  %a = memref.alloc() : memref<8xi64>
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%k3 : i64) outs(%a : memref<8xi64>)
  linalg.fill ins(%k5 : i64) outs(%b : memref<8xi64>)
  %r = call @either(%no, %a) : (i1, memref<8xi64>) -> memref<8xi64>
  call @show(%r, %b) : (memref<8xi64>, memref<8xi64>) -> ()
  %d = memref.alloc() : memref<8xi64>
  linalg.fill ins(%k7 : i64) outs(%d : memref<8xi64>)
  %s = call @either(%yes, %d) : (i1, memref<8xi64>) -> memref<8xi64>
  call @show(%s, %r) : (memref<8xi64>, memref<8xi64>) -> ()
  call @show(%d, %b) : (memref<8xi64>, memref<8xi64>) -> ()
  return
}
