// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py run %s | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation -o %t.bits.mlir
// RUN: %python %root/exec/harness.py run %t.bits.mlir > %t.bits 2>&1
// RUN: FileCheck %s < %t.bits
// RUN: FileCheck %s --check-prefix=HEAP < %t.bits
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones -o %t.clones.mlir
// RUN: %python %root/exec/harness.py run %t.clones.mlir > %t.clones 2>&1
// RUN: FileCheck %s < %t.clones
// RUN: FileCheck %s --check-prefix=HEAP < %t.clones
// RUN: stowage-opt %s --lower-clones=simplify-only -o %t.simple.mlir
// RUN: %python %root/exec/harness.py run %t.simple.mlir | FileCheck %s

// A buffer whose address got away is written through other names: loaded ones, pointers, in callees.
// It leaks where nothing else frees it, but it is not cloned before it is written.

// HEAP: double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

// CHECK: {{^}}9{{$}}
func.func @stored(%c: i1, %table: memref<1xmemref<4xi64>>) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %a = call @ones() : () -> memref<4xi64>
  memref.store %a, %table[%c0] : memref<1xmemref<4xi64>>
  %r = scf.if %c -> memref<4xi64> {
    %n = func.call @ones() : () -> memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  %loaded = memref.load %table[%c0] : memref<1xmemref<4xi64>>
  memref.store %nine, %loaded[%c0] : memref<4xi64>
  call @show(%r) : (memref<4xi64>) -> ()
  return %r : memref<4xi64>
}

// CHECK-NEXT: {{^}}9{{$}}
func.func @stored_not_returned(%c: i1, %table: memref<1xmemref<4xi64>>) {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %a = call @ones() : () -> memref<4xi64>
  memref.store %a, %table[%c0] : memref<1xmemref<4xi64>>
  %r = scf.if %c -> memref<4xi64> {
    %n = func.call @ones() : () -> memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  %loaded = memref.load %table[%c0] : memref<1xmemref<4xi64>>
  memref.store %nine, %loaded[%c0] : memref<4xi64>
  call @show(%r) : (memref<4xi64>) -> ()
  return
}

// CHECK-NEXT: {{^}}9{{$}}
func.func @written_by_callee(%c: i1, %table: memref<1xmemref<4xi64>>) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %a = call @ones() : () -> memref<4xi64>
  memref.store %a, %table[%c0] : memref<1xmemref<4xi64>>
  %r = scf.if %c -> memref<4xi64> {
    %n = func.call @ones() : () -> memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  call @write_stored(%table) : (memref<1xmemref<4xi64>>) -> ()
  call @show(%r) : (memref<4xi64>) -> ()
  return %r : memref<4xi64>
}

// CHECK-NEXT: {{^}}9{{$}}
func.func @pointer(%c: i1) -> memref<4xi64> {
  %nine = arith.constant 9 : i64
  %a = call @ones() : () -> memref<4xi64>
  %pointer = call @pointer_to(%a) : (memref<4xi64>) -> !llvm.ptr
  %r = scf.if %c -> memref<4xi64> {
    %n = func.call @ones() : () -> memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  llvm.store %nine, %pointer : i64, !llvm.ptr
  call @show(%r) : (memref<4xi64>) -> ()
  return %r : memref<4xi64>
}

// CHECK-NEXT: {{^}}9{{$}}
func.func @pointer_in_closed_region(%c: i1) -> memref<4xi64> {
  %nine = arith.constant 9 : i64
  %a = call @ones() : () -> memref<4xi64>
  %pointer = call @pointer_to(%a) : (memref<4xi64>) -> !llvm.ptr
  %r = scf.if %c -> memref<4xi64> {
    %n = func.call @ones() : () -> memref<4xi64>
    scf.yield %n : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  scf.forall (%i) in (1) {
    llvm.store %nine, %pointer : i64, !llvm.ptr
  }
  call @show(%r) : (memref<4xi64>) -> ()
  return %r : memref<4xi64>
}

// The clone's address gets away, and it is written before its source is freed.
// CHECK-NEXT: {{^}}1{{$}}
// CHECK-NEXT: {{^}}9{{$}}
func.func @stored_clone() {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %table = memref.alloc() : memref<1xmemref<4xi64>>
  %a = call @ones() : () -> memref<4xi64>
  %b = bufferization.clone %a : memref<4xi64> to memref<4xi64>
  memref.store %b, %table[%c0] : memref<1xmemref<4xi64>>
  %loaded = memref.load %table[%c0] : memref<1xmemref<4xi64>>
  memref.store %nine, %loaded[%c0] : memref<4xi64>
  call @show(%a) : (memref<4xi64>) -> ()
  memref.dealloc %a : memref<4xi64>
  call @show(%loaded) : (memref<4xi64>) -> ()
  memref.dealloc %loaded : memref<4xi64>
  memref.dealloc %table : memref<1xmemref<4xi64>>
  return
}

func.func @main() {
  %given = arith.constant false
  %table = memref.alloc() : memref<1xmemref<4xi64>>
  %a = call @stored(%given, %table) : (i1, memref<1xmemref<4xi64>>) -> memref<4xi64>
  call @stored_not_returned(%given, %table) : (i1, memref<1xmemref<4xi64>>) -> ()
  %b = call @written_by_callee(%given, %table) : (i1, memref<1xmemref<4xi64>>) -> memref<4xi64>
  %c = call @pointer(%given) : (i1) -> memref<4xi64>
  %d = call @pointer_in_closed_region(%given) : (i1) -> memref<4xi64>
  call @stored_clone() : () -> ()
  return
}

func.func private @ones() -> memref<4xi64> {
  %one = arith.constant 1 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<4xi64>)
  return %a : memref<4xi64>
}

func.func private @pointer_to(%a: memref<4xi64>) -> !llvm.ptr {
  %address = memref.extract_aligned_pointer_as_index %a : memref<4xi64> -> index
  %number = arith.index_cast %address : index to i64
  %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
  return %pointer : !llvm.ptr
}

func.func private @write_stored(%table: memref<1xmemref<4xi64>>) {
  %c0 = arith.constant 0 : index
  %nine = arith.constant 9 : i64
  %loaded = memref.load %table[%c0] : memref<1xmemref<4xi64>>
  memref.store %nine, %loaded[%c0] : memref<4xi64>
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%a: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<4xi64>
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
