// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s < %t.heap
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// What would have to be cloned and cannot be is left alone, by its function and by all that call it,
// recursively too: what is given and what is made stay.

// HEAP: leaked_bytes=64 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @given_or_new(%c: i1, %given: memref<?xi64, strided<[2]>>) -> memref<?xi64, strided<[2]>> {
  %new = memref.alloc() : memref<4xi64>
  %two = arith.constant 2 : index
  %view = memref.subview %new[0] [%two] [2] : memref<4xi64> to memref<?xi64, strided<[2]>>
  memref.copy %given, %view : memref<?xi64, strided<[2]>> to memref<?xi64, strided<[2]>>
  %r = scf.if %c -> memref<?xi64, strided<[2]>> {
    scf.yield %given : memref<?xi64, strided<[2]>>
  } else {
    scf.yield %view : memref<?xi64, strided<[2]>>
  }
  return %r : memref<?xi64, strided<[2]>>
}

func.func private @again(%c: i1, %given: memref<?xi64, strided<[2]>>) -> memref<?xi64, strided<[2]>> {
  %false = arith.constant false
  %r = scf.if %c -> memref<?xi64, strided<[2]>> {
    %s = func.call @again(%false, %given) : (i1, memref<?xi64, strided<[2]>>) -> memref<?xi64, strided<[2]>>
    scf.yield %s : memref<?xi64, strided<[2]>>
  } else {
    %t = func.call @given_or_new(%c, %given) : (i1, memref<?xi64, strided<[2]>>) -> memref<?xi64, strided<[2]>>
    scf.yield %t : memref<?xi64, strided<[2]>>
  }
  return %r : memref<?xi64, strided<[2]>>
}

// CHECK: {{^}}7{{$}}
// CHECK-NEXT: {{^}}7{{$}}
func.func @main() {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7 : i64
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<4xi64>)
  %two = arith.constant 2 : index
  %view = memref.subview %a[0] [%two] [2] : memref<4xi64> to memref<?xi64, strided<[2]>>
  %r = call @again(%true, %view) : (i1, memref<?xi64, strided<[2]>>) -> memref<?xi64, strided<[2]>>
  %v = memref.load %r[%c0] : memref<?xi64, strided<[2]>>
  call @show(%v) : (i64) -> ()
  %w = memref.load %a[%c0] : memref<4xi64>
  call @show(%w) : (i64) -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
