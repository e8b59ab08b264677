// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py run %s | FileCheck %s --check-prefixes=CHECK,BEFORE
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones -o %t.clones.mlir
// RUN: %python %root/exec/harness.py run %t.clones.mlir | FileCheck %s --check-prefixes=CHECK,AFTER
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones --inline --cse --canonicalize -o %t.folded.mlir
// RUN: %python %root/exec/harness.py run %t.folded.mlir | FileCheck %s --check-prefixes=CHECK,AFTER
// RUN: stowage-opt %s --buffer-deallocation --inline --canonicalize --cse -o %t.bits.mlir
// RUN: %python %root/exec/harness.py run %t.bits.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefixes=CHECK,AFTER < %t.heap
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// What a clone is stays right when others fold the program: it is freed and written apart from its source.

// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

// The loop frees what it is given, by its own name; the source is read in it.
// CHECK: {{^}}15{{$}}
// CHECK-NEXT: {{^}}15{{$}}
func.func @carried() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %fifteen = arith.constant 15 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%fifteen : i64) outs(%a : memref<4xi64>)
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (memref<4xi64>) {
    %n = memref.alloc() : memref<4xi64>
    %v = memref.load %a[%c0] : memref<4xi64>
    func.call @show(%v) : (i64) -> ()
    linalg.fill ins(%v : i64) outs(%n : memref<4xi64>)
    scf.yield %n : memref<4xi64>
  }
  return
}

// Results are fresh, so that a caller may write what it was given back while it reads what it gave.
func.func private @given_or_new(%given: memref<4xi64>, %c: i1) -> memref<4xi64> {
  %r = scf.if %c -> memref<4xi64> {
    %n = memref.alloc() : memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %given : memref<4xi64>
  }
  return %r : memref<4xi64>
}

// CHECK-NEXT: {{^}}3{{$}}
func.func @give_back(%c: i1) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i64
  %nine = arith.constant 9 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%three : i64) outs(%a : memref<4xi64>)
  %r = call @given_or_new(%a, %c) : (memref<4xi64>, i1) -> memref<4xi64>
  %v = memref.load %r[%c0] : memref<4xi64>
  func.call @show(%v) : (i64) -> ()
  memref.store %nine, %r[%c0] : memref<4xi64>
  %w = memref.load %a[%c0] : memref<4xi64>
  // BEFORE-NEXT: {{^}}9{{$}}
  // AFTER-NEXT: {{^}}3{{$}}
  func.call @show(%w) : (i64) -> ()
  return %r : memref<4xi64>
}

func.func @main() {
  %false = arith.constant false
  call @carried() : () -> ()
  %a = call @give_back(%false) : (i1) -> memref<4xi64>
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<4xi64>
  // CHECK-NEXT: {{^}}9{{$}}
  call @show(%v) : (i64) -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) attributes {no_inline} {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
