// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --elide-copies=allocation-free-loops | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP

// A callee may hold more for a loop without allocations. Its caller gets no spare buffer that makes its own peak higher.

// HEAP: after 49,152
// HEAP: equal

// CHECK-LABEL: func.func private @twice
// CHECK: scf.for
// CHECK: memref.alloc() : memref<4096xi32>

func.func private @taken(%start: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %own = memref.alloc() : memref<1024xi32>
  linalg.fill ins(%start : i32) outs(%own : memref<1024xi32>)
  %v = memref.load %own[%c1] : memref<1024xi32>
  return %v : i32
}

func.func private @state(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : memref<64xi32>
  linalg.fill ins(%start : i32) outs(%x : memref<64xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<64xi32>) {
    %t = memref.alloc() : memref<256xi32>
    linalg.fill ins(%start : i32) outs(%t : memref<256xi32>)
    %given = func.call @taken(%start) : (i32) -> i32
    %v = memref.load %t[%c1] : memref<256xi32>
    %w = arith.addi %v, %given : i32
    %b = memref.alloc() : memref<64xi32>
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %w, %b[%j] : memref<64xi32>
    }
    scf.yield %b : memref<64xi32>
  }
  %last = memref.load %r[%c1] : memref<64xi32>
  return %last : i32
}

func.func private @twice(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %other = func.call @state(%n, %start) : (index, i32) -> i32
  %x = memref.alloc() : memref<4096xi32>
  linalg.fill ins(%start : i32) outs(%x : memref<4096xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<4096xi32>) {
    %first = arith.addi %start, %start : i32
    %own = memref.alloc() {bufferization.manual_deallocation} : memref<8192xi32>
    linalg.fill ins(%first : i32) outs(%own : memref<8192xi32>)
    %given = memref.load %own[%c1] : memref<8192xi32>
    memref.dealloc %own : memref<8192xi32>
    %b = memref.alloc() : memref<4096xi32>
    linalg.fill ins(%given : i32) outs(%b : memref<4096xi32>)
    scf.for %j = %c0 to %c64 step %c1 {
      %k = arith.subi %c63, %j : index
      %v = memref.load %a[%k] : memref<4096xi32>
      %w = arith.addi %v, %given : i32
      memref.store %w, %b[%j] : memref<4096xi32>
    }
    scf.yield %b : memref<4096xi32>
  }
  %last = memref.load %r[%c1] : memref<4096xi32>
  return %last : i32
}

func.func @main() attributes {llvm.emit_c_interface} {
  %once = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %r = call @twice(%once, %one) : (index, i32) -> i32
  vector.print %r : i32
  return
}
