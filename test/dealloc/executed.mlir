// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s < %t.heap
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// Programs that a dealloc or a clone at the wrong place changes.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

memref.global "private" @state : memref<4xi64> = dense<1>

// The body of a reduction uses what lives around the loop, and allocates.
func.func @reduction(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<4xi64>)
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
    scf.reduce(%zero : i64) {
    ^bb0(%left: i64, %right: i64):
      %b = memref.alloc() : memref<4xi64>
      memref.copy %a, %b : memref<4xi64> to memref<4xi64>
      %v = memref.load %b[%c0] : memref<4xi64>
      %s = arith.addi %left, %v : i64
      scf.reduce.return %s : i64
    }
  }
  return %sum : i64
}

// The global is written, inside a region that closes over nothing, before it is returned.
func.func @global_or_new(%c: i1) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %state = memref.get_global @state : memref<4xi64>
  %r = scf.if %c -> memref<4xi64> {
    scf.yield %state : memref<4xi64>
  } else {
    %new = memref.alloc() : memref<4xi64>
    memref.copy %state, %new : memref<4xi64> to memref<4xi64>
    scf.yield %new : memref<4xi64>
  }
  scf.forall (%i) in (1) {
    %g = memref.get_global @state : memref<4xi64>
    memref.store %nine, %g[%c0] : memref<4xi64>
  }
  return %r : memref<4xi64>
}

// CHECK: {{^}}21{{$}}
// CHECK-NEXT: {{^}}1{{$}}
// CHECK-NEXT: {{^}}9{{$}}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %false = arith.constant false
  %sum = call @reduction(%c3) : (index) -> i64
  call @show(%sum) : (i64) -> ()
  %new = call @global_or_new(%false) : (i1) -> memref<4xi64>
  %first = memref.load %new[%c0] : memref<4xi64>
  call @show(%first) : (i64) -> ()
  %old = call @global_or_new(%true) : (i1) -> memref<4xi64>
  %second = memref.load %old[%c0] : memref<4xi64>
  call @show(%second) : (i64) -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
