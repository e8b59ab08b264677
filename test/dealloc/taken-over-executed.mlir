// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation{tighten})'
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(hoist-allocations,buffer-deallocation)'
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(stowage-memory)'
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation{tighten},hoist-allocations,buffer-deallocation{tighten},stowage-memory{start=merge-alloc})'
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s < %t.heap
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// Callees take buffers over and give them back, or others in their place. The program frees all that
// it allocates; nothing may be added to it.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

memref.global "private" @state : memref<2xi64> = dense<7>

// The same buffer, or a larger one with what was in it.
func.func private @grow(%m: memref<?xi64>, %c: i1) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %m, %c0 : memref<?xi64>
  %r = scf.if %c -> memref<?xi64> {
    %larger = arith.addi %n, %c2 : index
    %g = memref.alloc(%larger) : memref<?xi64>
    %begin = memref.subview %g[0] [%n] [1] : memref<?xi64> to memref<?xi64, strided<[1]>>
    memref.copy %m, %begin : memref<?xi64> to memref<?xi64, strided<[1]>>
    memref.dealloc %m : memref<?xi64>
    scf.yield %g : memref<?xi64>
  } else {
    scf.yield %m : memref<?xi64>
  }
  return %r : memref<?xi64>
}

// Through a loop that carries it, beside a number in a struct.
func.func private @append(%m: memref<?xi64>, %size: !llvm.struct<(i64)>, %n: index) -> (memref<?xi64>, !llvm.struct<(i64)>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %m) -> memref<?xi64> {
    %room = memref.dim %x, %c0 : memref<?xi64>
    %full = arith.cmpi eq, %i, %room : index
    %y = func.call @grow(%x, %full) : (memref<?xi64>, i1) -> memref<?xi64>
    %v = arith.index_cast %i : index to i64
    memref.store %v, %y[%i] : memref<?xi64>
    scf.yield %y : memref<?xi64>
  }
  %new = arith.index_cast %n : index to i64
  %next = llvm.insertvalue %new, %size[0] : !llvm.struct<(i64)>
  return %r, %next : memref<?xi64>, !llvm.struct<(i64)>
}

// By recursion, and by recursion of two.
func.func private @grow_often(%m: memref<?xi64>, %n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %done = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %done, ^done, ^again
^again:
  %g = func.call @grow(%m, %true) : (memref<?xi64>, i1) -> memref<?xi64>
  %less = arith.subi %n, %c1 : index
  %r = func.call @grow_often(%g, %less) : (memref<?xi64>, index) -> memref<?xi64>
  return %r : memref<?xi64>
^done:
  return %m : memref<?xi64>
}
func.func private @even(%m: memref<?xi64>, %n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> memref<?xi64> {
    scf.yield %m : memref<?xi64>
  } else {
    %less = arith.subi %n, %c1 : index
    %s = func.call @odd(%m, %less) : (memref<?xi64>, index) -> memref<?xi64>
    scf.yield %s : memref<?xi64>
  }
  return %r : memref<?xi64>
}
func.func private @odd(%m: memref<?xi64>, %n: index) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> memref<?xi64> {
    scf.yield %m : memref<?xi64>
  } else {
    %less = arith.subi %n, %c1 : index
    %g = func.call @grow(%m, %true) : (memref<?xi64>, i1) -> memref<?xi64>
    %s = func.call @even(%g, %less) : (memref<?xi64>, index) -> memref<?xi64>
    scf.yield %s : memref<?xi64>
  }
  return %r : memref<?xi64>
}

// The second argument is taken over, the first one is not.
func.func @second(%lent: memref<?xi64>, %taken: memref<?xi64>, %c: i1) -> memref<?xi64> {
  %c0 = arith.constant 0 : index
  cf.cond_br %c, ^grow, ^done(%taken : memref<?xi64>)
^grow:
  %size = arith.constant 5 : index
  %g = memref.realloc %taken(%size) : memref<?xi64> to memref<?xi64>
  cf.br ^done(%g : memref<?xi64>)
^done(%r: memref<?xi64>):
  %v = memref.load %lent[%c0] : memref<?xi64>
  memref.store %v, %r[%c0] : memref<?xi64>
  return %r : memref<?xi64>
}

// Both: one is freed, the other one comes back.
func.func private @one_of(%a: memref<?xi64>, %b: memref<?xi64>, %c: i1) -> memref<?xi64> {
  %no, %r = scf.if %c -> (memref<?xi64>, memref<?xi64>) {
    scf.yield %b, %a : memref<?xi64>, memref<?xi64>
  } else {
    scf.yield %a, %b : memref<?xi64>, memref<?xi64>
  }
  memref.dealloc %no : memref<?xi64>
  return %r : memref<?xi64>
}

// Freed on every path, as one of two.
func.func private @sum(%m: memref<?xi64>, %c: i1) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = scf.if %c -> memref<?xi64> {
    %copy = memref.alloc(%c1) : memref<?xi64>
    %v = memref.load %m[%c0] : memref<?xi64>
    memref.store %v, %copy[%c0] : memref<?xi64>
    memref.dealloc %m : memref<?xi64>
    scf.yield %copy : memref<?xi64>
  } else {
    scf.yield %m : memref<?xi64>
  }
  %v = memref.load %x[%c0] : memref<?xi64>
  memref.dealloc %x : memref<?xi64>
  return %v : i64
}

// Behind one pointer: both take their argument over, though the second one frees nothing.
func.func private @renew(%m: memref<4xi64>, %c: i1) -> memref<4xi64> {
  %r = scf.if %c -> memref<4xi64> {
    %g = memref.alloc() : memref<4xi64>
    memref.copy %m, %g : memref<4xi64> to memref<4xi64>
    memref.dealloc %m : memref<4xi64>
    scf.yield %g : memref<4xi64>
  } else {
    scf.yield %m : memref<4xi64>
  }
  return %r : memref<4xi64>
}
func.func private @keep(%m: memref<4xi64>, %c: i1) -> memref<4xi64> {
  return %m : memref<4xi64>
}

// Freed on one path, returned on another, and on the third one its caller frees it: that caller's
// business, all of it.
func.func private @third(%m: memref<4xi64>, %k: i32) -> memref<4xi64> {
  cf.switch %k : i32, [default: ^new, 0: ^same, 1: ^grow]
^grow:
  %g = memref.alloc() : memref<4xi64>
  memref.copy %m, %g : memref<4xi64> to memref<4xi64>
  memref.dealloc %m : memref<4xi64>
  return %g : memref<4xi64>
^same:
  return %m : memref<4xi64>
^new:
  %h = memref.alloc() : memref<4xi64>
  memref.copy %m, %h : memref<4xi64> to memref<4xi64>
  return %h : memref<4xi64>
}
func.func @knows_which(%k: i32, %stays: i1) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 5 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<4xi64>)
  %b = call @third(%a, %k) : (memref<4xi64>, i32) -> memref<4xi64>
  scf.if %stays {
    memref.dealloc %a : memref<4xi64>
  }
  %v = memref.load %b[%c0] : memref<4xi64>
  call @show(%v) : (i64) -> ()
  memref.dealloc %b : memref<4xi64>
  return
}

func.func @loops_and_recursion() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %none = llvm.mlir.poison : !llvm.struct<(i64)>
  %a = memref.alloc(%c2) : memref<?xi64>
  %b:2 = call @append(%a, %none, %c4) : (memref<?xi64>, !llvm.struct<(i64)>, index) -> (memref<?xi64>, !llvm.struct<(i64)>)
  %c:2 = call @append(%b#0, %b#1, %c6) : (memref<?xi64>, !llvm.struct<(i64)>, index) -> (memref<?xi64>, !llvm.struct<(i64)>)
  %size = llvm.extractvalue %c#1[0] : !llvm.struct<(i64)>
  call @show(%size) : (i64) -> ()
  %d = call @grow_often(%c#0, %c3) : (memref<?xi64>, index) -> memref<?xi64>
  %e = call @even(%d, %c3) : (memref<?xi64>, index) -> memref<?xi64>
  %v = memref.load %e[%c3] : memref<?xi64>
  call @show(%v) : (i64) -> ()
  %n = memref.dim %e, %c0 : memref<?xi64>
  %m = arith.index_cast %n : index to i64
  call @show(%m) : (i64) -> ()
  memref.dealloc %e : memref<?xi64>
  return
}

func.func @several_arguments(%true: i1, %false: i1) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 8 : i64
  %a = memref.alloc(%c2) : memref<?xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<?xi64>)
  %b = memref.alloc(%c2) : memref<?xi64>
  %c = call @second(%a, %b, %true) : (memref<?xi64>, memref<?xi64>, i1) -> memref<?xi64>
  %d = call @second(%a, %c, %false) : (memref<?xi64>, memref<?xi64>, i1) -> memref<?xi64>
  %e = call @one_of(%a, %d, %true) : (memref<?xi64>, memref<?xi64>, i1) -> memref<?xi64>
  %v = call @sum(%e, %true) : (memref<?xi64>, i1) -> i64
  call @show(%v) : (i64) -> ()
  return
}

// The caller knows that it gets its own buffer back, and uses both names of it; or what it gives is
// not its own at all.
func.func @known_to_come_back(%false: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = arith.constant 3 : i64
  %a = memref.alloc(%c2) : memref<?xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<?xi64>)
  %b = call @grow(%a, %false) : (memref<?xi64>, i1) -> memref<?xi64>
  %v = memref.load %a[%c0] : memref<?xi64>
  call @show(%v) : (i64) -> ()
  memref.dealloc %b : memref<?xi64>
  %g = memref.get_global @state : memref<2xi64>
  %h = memref.cast %g : memref<2xi64> to memref<?xi64>
  %i = call @grow(%h, %false) : (memref<?xi64>, i1) -> memref<?xi64>
  memref.store %x, %i[%c0] : memref<?xi64>
  %w = memref.load %g[%c0] : memref<2xi64>
  call @show(%w) : (i64) -> ()
  return
}

func.func @by_pointer(%true: i1, %false: i1) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 4 : i64
  %renew = func.constant @renew : (memref<4xi64>, i1) -> memref<4xi64>
  %keep = func.constant @keep : (memref<4xi64>, i1) -> memref<4xi64>
  %f = arith.select %true, %renew, %keep : (memref<4xi64>, i1) -> memref<4xi64>
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<4xi64>)
  %b = func.call_indirect %f(%a, %false) : (memref<4xi64>, i1) -> memref<4xi64>
  %c = func.call_indirect %renew(%b, %true) : (memref<4xi64>, i1) -> memref<4xi64>
  %d = func.call_indirect %keep(%c, %true) : (memref<4xi64>, i1) -> memref<4xi64>
  %v = memref.load %d[%c0] : memref<4xi64>
  call @show(%v) : (i64) -> ()
  memref.dealloc %d : memref<4xi64>
  return
}

// CHECK: {{^}}6{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}14{{$}}
// CHECK-NEXT: {{^}}8{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}3{{$}}
// CHECK-NEXT: {{^}}4{{$}}
// CHECK-NEXT: {{^}}5{{$}}
// CHECK-NEXT: {{^}}5{{$}}
// CHECK-NEXT: {{^}}5{{$}}
func.func @main() {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  %true = arith.constant true
  %false = arith.constant false
  call @loops_and_recursion() : () -> ()
  call @several_arguments(%true, %false) : (i1, i1) -> ()
  call @known_to_come_back(%false) : (i1) -> ()
  call @by_pointer(%true, %false) : (i1, i1) -> ()
  call @knows_which(%0, %false) : (i32, i1) -> ()
  call @knows_which(%1, %false) : (i32, i1) -> ()
  call @knows_which(%2, %true) : (i32, i1) -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
