// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A bit that decides in a callee is a bit in the frame of its caller.

// RUN: stowage-opt %s --merge-alloc='dynamic=exact arena=argument public report=text' -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --merge-alloc='dynamic=exact arena=argument public at=arg1=7 report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE

// CHECK: h  512 B, aligned to 64, argument, bytes = max(8*max(arg0, 0)*arg1, 8*max(arg0, 0)*(1 - arg1))
// CHECK: g  512 B, aligned to 64, argument, bytes = max(8*max(arg0, 0)*arg1, 8*max(arg0, 0)*(1 - arg1))

// Any number but 0 is 1.

// ONE: h  512 B
// ONE: the figures are for arg0=64, arg1=1
// ONE-NOT: too-large

func.func private @g(%n: index, %c: i1) {
  scf.if %c {
    %a = memref.alloc(%n) : memref<?xi64>
    func.call @fill(%a) : (memref<?xi64>) -> ()
  } else {
    %b = memref.alloc(%n) : memref<?xi64>
    func.call @fill(%b) : (memref<?xi64>) -> ()
  }
  return
}
func.func @h(%n: index, %c: i1) {
  call @g(%n, %c) : (index, i1) -> ()
  return
}
func.func private @fill(%a: memref<?xi64>) {
  %k = arith.constant 1 : i64
  linalg.fill ins(%k : i64) outs(%a : memref<?xi64>)
  return
}
