// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: stowage-opt %t.mlir --buffer-deallocation | diff %t.mlir -
// RUN: stowage-opt %s --hoist-allocations --buffer-deallocation --buffer-deallocation=tighten -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// Functions called by their address. Some keep what they are given, so that it stays: 32 bytes of each of
// four calls. Whatever is given to others is freed, as it is seen which functions a call may call.
// HEAP: leaked_bytes=128 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

memref.global "private" @kept : memref<1xmemref<4xi64>>

func.func private @keep(%m: memref<4xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %slot = memref.get_global @kept : memref<1xmemref<4xi64>>
  memref.store %m, %slot[%c0] : memref<1xmemref<4xi64>>
  %v = memref.load %m[%n] : memref<4xi64>
  return %v : i64
}
func.func private @recall(%n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %slot = memref.get_global @kept : memref<1xmemref<4xi64>>
  %m = memref.load %slot[%c0] : memref<1xmemref<4xi64>>
  %v = memref.load %m[%n] : memref<4xi64>
  return %v : i64
}
func.func private @read(%m: memref<4xi64>, %n: index) -> i64 {
  %v = memref.load %m[%n] : memref<4xi64>
  return %v : i64
}
func.func private @twice(%m: memref<4xi64>, %n: index) -> i64 {
  %v = memref.load %m[%n] : memref<4xi64>
  %w = arith.addi %v, %v : i64
  return %w : i64
}
func.func private @pair(%m: memref<2xi64>, %n: index) -> i64 {
  %v = memref.load %m[%n] : memref<2xi64>
  return %v : i64
}

// By its own address, with a buffer of each call.
func.func private @deep(%m: memref<4xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %m[%n] : memref<4xi64>
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> i64 {
    scf.yield %v : i64
  } else {
    %less = arith.subi %n, %c1 : index
    %mine = memref.alloc() : memref<4xi64>
    linalg.fill ins(%v : i64) outs(%mine : memref<4xi64>)
    %f = func.constant @deep : (memref<4xi64>, index) -> i64
    %s = func.call_indirect %f(%mine, %less) : (memref<4xi64>, index) -> i64
    scf.yield %s : i64
  }
  return %r : i64
}

// An address from elsewhere: any of those above.
func.func private @apply(%f: (memref<4xi64>, index) -> i64, %v: i64, %n: index) -> i64 {
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%v : i64) outs(%a : memref<4xi64>)
  %r = func.call_indirect %f(%a, %n) : (memref<4xi64>, index) -> i64
  return %r : i64
}

func.func private @made(%v: i64) -> memref<4xi64> {
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%v : i64) outs(%a : memref<4xi64>)
  return %a : memref<4xi64>
}

func.func private @one_that_reads(%c: i1) -> i64 {
  %c2 = arith.constant 2 : index
  %five = arith.constant 5 : i64
  %a = func.call @made(%five) : (i64) -> memref<4xi64>
  %p = memref.alloc() : memref<2xi64>
  linalg.fill ins(%five : i64) outs(%p : memref<2xi64>)
  %c1 = arith.constant 1 : index
  %read = func.constant @read : (memref<4xi64>, index) -> i64
  %twice = func.constant @twice : (memref<4xi64>, index) -> i64
  %pair = func.constant @pair : (memref<2xi64>, index) -> i64
  %f = arith.select %c, %read, %twice : (memref<4xi64>, index) -> i64
  %r = func.call_indirect %f(%a, %c2) : (memref<4xi64>, index) -> i64
  %s = func.call_indirect %pair(%p, %c1) : (memref<2xi64>, index) -> i64
  %t = arith.addi %r, %s : i64
  return %t : i64
}

// Either of two, one of which keeps it.
func.func private @one_that_may_keep(%c: i1, %v: i64) -> i64 {
  %c2 = arith.constant 2 : index
  %a = func.call @made(%v) : (i64) -> memref<4xi64>
  %read = func.constant @read : (memref<4xi64>, index) -> i64
  %keep = func.constant @keep : (memref<4xi64>, index) -> i64
  %f = arith.select %c, %read, %keep : (memref<4xi64>, index) -> i64
  %r = func.call_indirect %f(%a, %c2) : (memref<4xi64>, index) -> i64
  return %r : i64
}

// @read shares its contract with @keep. What it keeps itself is known all the same, by name or address.
func.func private @read_alone(%c: i1, %v: i64) -> i64 {
  %c2 = arith.constant 2 : index
  %a = func.call @made(%v) : (i64) -> memref<4xi64>
  %b = func.call @made(%v) : (i64) -> memref<4xi64>
  %read = func.constant @read : (memref<4xi64>, index) -> i64
  %again = func.constant @read : (memref<4xi64>, index) -> i64
  %f = arith.select %c, %read, %again : (memref<4xi64>, index) -> i64
  %r = func.call_indirect %read(%a, %c2) : (memref<4xi64>, index) -> i64
  %s = func.call @read(%b, %c2) : (memref<4xi64>, index) -> i64
  %t = arith.addi %r, %s : i64
  return %t : i64
}

func.func @main() {
  %true = arith.constant true
  %false = arith.constant false
  %c3 = arith.constant 3 : index
  %seven = arith.constant 7 : i64
  %nine = arith.constant 9 : i64
  %a = func.call @one_that_reads(%true) : (i1) -> i64
  vector.print %a : i64
  %b = func.call @one_that_reads(%false) : (i1) -> i64
  vector.print %b : i64
  %c = func.call @one_that_may_keep(%false, %seven) : (i1, i64) -> i64
  vector.print %c : i64
  %d = func.call @one_that_may_keep(%true, %nine) : (i1, i64) -> i64
  vector.print %d : i64
  %e = func.call @recall(%c3) : (index) -> i64
  vector.print %e : i64
  %f = func.call @read_alone(%true, %nine) : (i1, i64) -> i64
  vector.print %f : i64
  %keep = func.constant @keep : (memref<4xi64>, index) -> i64
  %g = func.call @apply(%keep, %nine, %c3) : ((memref<4xi64>, index) -> i64, i64, index) -> i64
  %read = func.constant @read : (memref<4xi64>, index) -> i64
  %h = func.call @apply(%read, %seven, %c3) : ((memref<4xi64>, index) -> i64, i64, index) -> i64
  vector.print %h : i64
  %i = func.call @recall(%c3) : (index) -> i64
  vector.print %i : i64
  %m = func.call @made(%seven) : (i64) -> memref<4xi64>
  %j = func.call @deep(%m, %c3) : (memref<4xi64>, index) -> i64
  vector.print %j : i64
  return
}
