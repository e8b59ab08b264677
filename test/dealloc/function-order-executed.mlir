// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// Functions that one call may call agree on who owns. As one of them frees its argument, all of them are thought
// to take it over, until some prove not to. What callers were thought to lose by that is forgotten then: nothing
// is left alone, in whatever order the functions stand.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

// One of them returns its argument through itself.
func.func private @self_frees(%a: memref<4xi64>, %n: index) -> memref<4xi64> {
  %one = arith.constant 1 : i64
  memref.dealloc %a : memref<4xi64>
  %z = memref.alloc() : memref<4xi64>
  linalg.fill ins(%one : i64) outs(%z : memref<4xi64>)
  return %z : memref<4xi64>
}

func.func private @self_reads(%a: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<4xi64>
  %z = memref.alloc() : memref<4xi64>
  linalg.fill ins(%v : i64) outs(%z : memref<4xi64>)
  return %z : memref<4xi64>
}

func.func private @self_gives_back(%a: memref<4xi64>, %n: index) -> memref<4xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi sgt, %n, %c0 : index
  %r = scf.if %p -> memref<4xi64> {
    %m = arith.subi %n, %c1 : index
    %x = func.call @self_gives_back(%a, %m) : (memref<4xi64>, index) -> memref<4xi64>
    scf.yield %x : memref<4xi64>
  } else {
    scf.yield %a : memref<4xi64>
  }
  return %r : memref<4xi64>
}

func.func private @self_any(%k: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %filled = arith.constant 9 : i64
  %f = func.constant @self_frees : (memref<4xi64>, index) -> memref<4xi64>
  %g = func.constant @self_gives_back : (memref<4xi64>, index) -> memref<4xi64>
  %h = func.constant @self_reads : (memref<4xi64>, index) -> memref<4xi64>
  %p = arith.cmpi eq, %k, %c0 : index
  %q = arith.cmpi eq, %k, %c1 : index
  %s = arith.select %p, %f, %g : (memref<4xi64>, index) -> memref<4xi64>
  %t = arith.select %q, %h, %s : (memref<4xi64>, index) -> memref<4xi64>
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%filled : i64) outs(%a : memref<4xi64>)
  %r = func.call_indirect %t(%a, %c1) : (memref<4xi64>, index) -> memref<4xi64>
  %v = memref.load %r[%c0] : memref<4xi64>
  return %v : i64
}

func.func private @self_by_name() -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %filled = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%filled : i64) outs(%a : memref<4xi64>)
  %r = func.call @self_gives_back(%a, %c2) : (memref<4xi64>, index) -> memref<4xi64>
  %v = memref.load %r[%c0] : memref<4xi64>
  return %v : i64
}

// One of them returns its argument through another.
func.func private @other_frees(%a: memref<2xi64>, %n: index) -> memref<2xi64> {
  %one = arith.constant 1 : i64
  memref.dealloc %a : memref<2xi64>
  %z = memref.alloc() : memref<2xi64>
  linalg.fill ins(%one : i64) outs(%z : memref<2xi64>)
  return %z : memref<2xi64>
}

func.func private @other_reads(%a: memref<2xi64>, %n: index) -> memref<2xi64> {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<2xi64>
  %z = memref.alloc() : memref<2xi64>
  linalg.fill ins(%v : i64) outs(%z : memref<2xi64>)
  return %z : memref<2xi64>
}

func.func private @other_gives_back(%a: memref<2xi64>, %n: index) -> memref<2xi64> {
  %x = func.call @other_is_given(%a, %n) : (memref<2xi64>, index) -> memref<2xi64>
  return %x : memref<2xi64>
}

func.func private @other_is_given(%a: memref<2xi64>, %n: index) -> memref<2xi64> {
  return %a : memref<2xi64>
}

func.func private @other_any(%k: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %filled = arith.constant 9 : i64
  %f = func.constant @other_frees : (memref<2xi64>, index) -> memref<2xi64>
  %g = func.constant @other_gives_back : (memref<2xi64>, index) -> memref<2xi64>
  %h = func.constant @other_reads : (memref<2xi64>, index) -> memref<2xi64>
  %i = func.constant @other_is_given : (memref<2xi64>, index) -> memref<2xi64>
  %p = arith.cmpi eq, %k, %c0 : index
  %q = arith.cmpi eq, %k, %c1 : index
  %s = arith.select %p, %f, %g : (memref<2xi64>, index) -> memref<2xi64>
  %t = arith.select %q, %h, %s : (memref<2xi64>, index) -> memref<2xi64>
  %u = arith.select %p, %t, %i : (memref<2xi64>, index) -> memref<2xi64>
  %a = memref.alloc() : memref<2xi64>
  linalg.fill ins(%filled : i64) outs(%a : memref<2xi64>)
  %r = func.call_indirect %u(%a, %c1) : (memref<2xi64>, index) -> memref<2xi64>
  %v = memref.load %r[%c0] : memref<2xi64>
  return %v : i64
}

func.func private @other_by_name() -> i64 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %filled = arith.constant 7 : i64
  %a = memref.alloc() : memref<2xi64>
  linalg.fill ins(%filled : i64) outs(%a : memref<2xi64>)
  %r = func.call @other_gives_back(%a, %c2) : (memref<2xi64>, index) -> memref<2xi64>
  %v = memref.load %r[%c0] : memref<2xi64>
  return %v : i64
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %a = func.call @self_any(%c0) : (index) -> i64
  vector.print %a : i64
  %b = func.call @self_by_name() : () -> i64
  vector.print %b : i64
  %c = func.call @other_any(%c0) : (index) -> i64
  vector.print %c : i64
  %d = func.call @other_by_name() : () -> i64
  vector.print %d : i64
  return
}
