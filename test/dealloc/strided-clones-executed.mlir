// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: stowage-opt %t.mlir --buffer-deallocation | diff %t.mlir -
// RUN: %python %root/exec/harness.py run %t.mlir > %t 2>&1
// RUN: FileCheck %s < %t
// RUN: FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones -o %t.clones.mlir
// RUN: stowage-opt %t.clones.mlir --buffer-deallocation=prefer=clones | diff %t.clones.mlir -
// RUN: %python %root/exec/harness.py run %t.clones.mlir > %t.c 2>&1
// RUN: FileCheck %s < %t.c
// RUN: FileCheck %s --check-prefix=HEAP < %t.c
// RUN: stowage-opt %s --buffer-deallocation --hoist-allocations --buffer-deallocation=tighten -o %t.hoisted.mlir
// RUN: %python %root/exec/harness.py run %t.hoisted.mlir > %t.h 2>&1
// RUN: FileCheck %s < %t.h
// RUN: FileCheck %s --check-prefix=HEAP < %t.h
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Memrefs whose layout is not the identity are cloned, too: by a cast where the type may be that of a
// plain allocation, else as a part of one with as many cells as their strides reach.

// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

!second = memref<2xi64, strided<[1], offset: 2>>
!every = memref<2xi64, strided<[2]>>
!any = memref<2xi64, strided<[?], offset: ?>>
!rows = memref<2x2xi64, strided<[4, 1], offset: 1>>

// A buffer beside a part of it: the part is cloned.
// IR-LABEL: func.func @part(
// IR: %[[A:.*]] = call @counted()
// IR: %[[ROOM:.*]] = memref.alloc() : memref<4xi64>
// IR: %[[PART:.*]] = memref.reinterpret_cast %[[ROOM]] to offset: [2], sizes: [2], strides: [1]
// IR: return %[[A]], %[[PART]]
func.func @part() -> (memref<4xi64>, !second) {
  %a = call @counted() : () -> memref<4xi64>
  %v = memref.subview %a[2] [2] [1] : memref<4xi64> to !second
  return %a, %v : memref<4xi64>, !second
}

// The part first, and two parts of one buffer.
func.func @part_first() -> (!second, memref<4xi64>, !every) {
  %a = call @counted() : () -> memref<4xi64>
  %v = memref.subview %a[2] [2] [1] : memref<4xi64> to !second
  %w = memref.subview %a[0] [2] [2] : memref<4xi64> to !every
  return %v, %a, %w : !second, memref<4xi64>, !every
}

func.func @parts(%i: index) -> (!any, !rows) {
  %a = call @counted() : () -> memref<4xi64>
  %b = memref.alloc() : memref<2x4xi64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %row = memref.subview %b[0, 0] [1, 4] [1, 1] : memref<2x4xi64> to memref<4xi64, strided<[1]>>
  %next = memref.subview %b[1, 0] [1, 4] [1, 1] : memref<2x4xi64> to memref<4xi64, strided<[1], offset: 4>>
  memref.copy %a, %row : memref<4xi64> to memref<4xi64, strided<[1]>>
  memref.copy %a, %next : memref<4xi64> to memref<4xi64, strided<[1], offset: 4>>
  %v = memref.subview %a[%i] [2] [1] : memref<4xi64> to memref<2xi64, strided<[1], offset: ?>>
  %any = memref.cast %v : memref<2xi64, strided<[1], offset: ?>> to !any
  %rows = memref.subview %b[0, 1] [2, 2] [1, 1] : memref<2x4xi64> to !rows
  return %any, %rows : !any, !rows
}

// Two results of unlike layouts are one buffer.
func.func @twice(%i: index) -> (!any, !any) {
  %a = call @counted() : () -> memref<4xi64>
  %v = memref.subview %a[%i] [2] [1] : memref<4xi64> to memref<2xi64, strided<[1], offset: ?>>
  %any = memref.cast %v : memref<2xi64, strided<[1], offset: ?>> to !any
  return %any, %any : !any, !any
}

// On one path it is the argument.
func.func @either(%c: i1, %x: !every) -> !every {
  %r = scf.if %c -> !every {
    scf.yield %x : !every
  } else {
    %a = func.call @counted() : () -> memref<4xi64>
    %n = memref.subview %a[0] [2] [2] : memref<4xi64> to !every
    scf.yield %n : !every
  }
  return %r : !every
}

func.func @either_rows(%c: i1, %x: !rows) -> !rows {
  cf.cond_br %c, ^given, ^made
^given:
  return %x : !rows
^made:
  %v:2 = call @parts_at_one() : () -> (!any, !rows)
  return %v#1 : !rows
}

func.func private @parts_at_one() -> (!any, !rows) {
  %c1 = arith.constant 1 : index
  %v:2 = call @parts(%c1) : (index) -> (!any, !rows)
  return %v#0, %v#1 : !any, !rows
}

func.func private @counted() -> memref<4xi64> {
  %a = memref.alloc() : memref<4xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %a[%i] : memref<4xi64>
  }
  return %a : memref<4xi64>
}

// CHECK: ( 0, 1, 2, 3 )
// CHECK-NEXT: ( 2, 3 )
// CHECK-NEXT: ( 2, 3 )
// CHECK-NEXT: ( 0, 1, 2, 3 )
// CHECK-NEXT: ( 0, 2 )
// CHECK-NEXT: ( 1, 2 )
// CHECK-NEXT: ( ( 1, 2 ), ( 1, 2 ) )
// CHECK-NEXT: ( 2, 3 )
// CHECK-NEXT: ( 2, 3 )
// CHECK-NEXT: ( 0, 2 )
// CHECK-NEXT: ( 0, 2 )
// CHECK-NEXT: ( ( 1, 2 ), ( 1, 2 ) )
// CHECK-NEXT: ( ( 1, 2 ), ( 1, 2 ) )
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %false = arith.constant false
  %p:2 = call @part() : () -> (memref<4xi64>, !second)
  %0 = vector.transfer_read %p#0[%c0], %zero {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
  vector.print %0 : vector<4xi64>
  %1 = vector.transfer_read %p#1[%c0], %zero {in_bounds = [true]} : !second, vector<2xi64>
  vector.print %1 : vector<2xi64>
  %q:3 = call @part_first() : () -> (!second, memref<4xi64>, !every)
  %2 = vector.transfer_read %q#0[%c0], %zero {in_bounds = [true]} : !second, vector<2xi64>
  vector.print %2 : vector<2xi64>
  %3 = vector.transfer_read %q#1[%c0], %zero {in_bounds = [true]} : memref<4xi64>, vector<4xi64>
  vector.print %3 : vector<4xi64>
  %4 = vector.transfer_read %q#2[%c0], %zero {in_bounds = [true]} : !every, vector<2xi64>
  vector.print %4 : vector<2xi64>
  %r:2 = call @parts(%c1) : (index) -> (!any, !rows)
  %5 = vector.transfer_read %r#0[%c0], %zero {in_bounds = [true]} : !any, vector<2xi64>
  vector.print %5 : vector<2xi64>
  call @show(%r#1) : (!rows) -> ()
  %s:2 = call @twice(%c2) : (index) -> (!any, !any)
  %6 = vector.transfer_read %s#0[%c0], %zero {in_bounds = [true]} : !any, vector<2xi64>
  vector.print %6 : vector<2xi64>
  %7 = vector.transfer_read %s#1[%c0], %zero {in_bounds = [true]} : !any, vector<2xi64>
  vector.print %7 : vector<2xi64>
  %t = call @either(%true, %q#2) : (i1, !every) -> !every
  call @show_every(%t) : (!every) -> ()
  %u = call @either(%false, %q#2) : (i1, !every) -> !every
  call @show_every(%u) : (!every) -> ()
  %v = call @either_rows(%true, %r#1) : (i1, !rows) -> !rows
  call @show(%v) : (!rows) -> ()
  %w = call @either_rows(%false, %r#1) : (i1, !rows) -> !rows
  call @show(%w) : (!rows) -> ()
  return
}

func.func private @show_every(%m: !every) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %0 = vector.transfer_read %m[%c0], %zero {in_bounds = [true]} : !every, vector<2xi64>
  vector.print %0 : vector<2xi64>
  return
}

func.func private @show(%m: !rows) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %0 = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]} : !rows, vector<2x2xi64>
  vector.print %0 : vector<2x2xi64>
  return
}
