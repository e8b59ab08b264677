// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT

// Where control flow is not known, each captured buffer has its own names: what keeps a name of one says nothing of
// another. A name that may be two of them is kept for both.
// HEAP: leaked_bytes=16 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0
// KEPT: Function=phi_of_both {{.*}}its address is stored
// KEPT-NOT: remark

func.func private @show(%x: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<2xi64>
  vector.print %v : i64
  return
}

func.func private @promised(%stays: memref<2xi64>, %table: memref<1xmemref<2xi64>>, %v: i64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi64>
  memref.store %v, %a[%c0] : memref<2xi64>
  scf.forall (%i) in (1) {
    %x, %y = memref.distinct_objects %a, %stays : memref<2xi64>, memref<2xi64>
    memref.copy %x, %y : memref<2xi64> to memref<2xi64>
    memref.store %y, %table[%i] : memref<1xmemref<2xi64>>
  }
  return
}

func.func private @views(%stays: memref<2xi64>, %table: memref<1xmemref<2xi64>>, %v: i64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi64>
  memref.store %v, %a[%c0] : memref<2xi64>
  scf.forall (%i) in (1) {
    %x = memref.cast %a : memref<2xi64> to memref<?xi64>
    %y = memref.cast %stays : memref<2xi64> to memref<?xi64>
    %z = memref.cast %y : memref<?xi64> to memref<2xi64>
    memref.copy %x, %y : memref<?xi64> to memref<?xi64>
    memref.store %z, %table[%i] : memref<1xmemref<2xi64>>
  }
  return
}

func.func private @blocks(%stays: memref<2xi64>, %table: memref<1xmemref<2xi64>>, %v: i64, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi64>
  %b = memref.alloc() : memref<2xi64>
  memref.store %v, %a[%c0] : memref<2xi64>
  memref.store %v, %b[%c0] : memref<2xi64>
  scf.forall (%i) in (1) {
    scf.execute_region {
      cf.cond_br %c, ^use(%a, %stays : memref<2xi64>, memref<2xi64>), ^use(%b, %stays : memref<2xi64>, memref<2xi64>)
    ^use(%x: memref<2xi64>, %y: memref<2xi64>):
      memref.copy %x, %y : memref<2xi64> to memref<2xi64>
      memref.store %y, %table[%i] : memref<1xmemref<2xi64>>
      scf.yield
    }
  }
  return
}

func.func private @phi_of_both(%stays: memref<2xi64>, %table: memref<1xmemref<2xi64>>, %v: i64, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xi64>
  memref.store %v, %a[%c0] : memref<2xi64>
  scf.forall (%i) in (1) {
    %x = memref.cast %a : memref<2xi64> to memref<?xi64>
    %y = scf.if %c -> memref<?xi64> {
      scf.yield %x : memref<?xi64>
    } else {
      %s = memref.cast %stays : memref<2xi64> to memref<?xi64>
      scf.yield %s : memref<?xi64>
    }
    %z = memref.cast %y : memref<?xi64> to memref<2xi64>
    memref.copy %a, %stays : memref<2xi64> to memref<2xi64>
    memref.store %z, %table[%i] : memref<1xmemref<2xi64>>
  }
  return
}

func.func @main() attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %four = arith.constant 4 : i64
  %stays = memref.alloca() : memref<2xi64>
  %table = memref.alloca() : memref<1xmemref<2xi64>>
  call @promised(%stays, %table, %one) : (memref<2xi64>, memref<1xmemref<2xi64>>, i64) -> ()
  %p = memref.load %table[%c0] : memref<1xmemref<2xi64>>
  call @show(%p) : (memref<2xi64>) -> ()
  call @views(%stays, %table, %two) : (memref<2xi64>, memref<1xmemref<2xi64>>, i64) -> ()
  %q = memref.load %table[%c0] : memref<1xmemref<2xi64>>
  call @show(%q) : (memref<2xi64>) -> ()
  call @blocks(%stays, %table, %three, %true) : (memref<2xi64>, memref<1xmemref<2xi64>>, i64, i1) -> ()
  %r = memref.load %table[%c0] : memref<1xmemref<2xi64>>
  call @show(%r) : (memref<2xi64>) -> ()
  call @phi_of_both(%stays, %table, %four, %true) : (memref<2xi64>, memref<1xmemref<2xi64>>, i64, i1) -> ()
  %s = memref.load %table[%c0] : memref<1xmemref<2xi64>>
  call @show(%s) : (memref<2xi64>) -> ()
  return
}
