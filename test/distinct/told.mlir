// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which views of an arena are told to be distinct.

// RUN: stowage-opt %s --split-input-file --convert-view-accesses-to-llvm | FileCheck %s
// RUN: stowage-opt %s --split-input-file '--convert-view-accesses-to-llvm=index-bitwidth=32' | FileCheck %s --check-prefix=NARROW

// Two that share no byte. An access outside of a loop is left alone.

// CHECK-DAG: #[[A:.*]] = #llvm.alias_scope<id = distinct[{{.*}}]<>, domain = #[[D:.*]]>
// CHECK-LABEL: @apart
// CHECK-DAG: llvm.intr.experimental.noalias.scope.decl
// CHECK-DAG: llvm.intr.experimental.noalias.scope.decl
// CHECK: scf.for
// CHECK: llvm.load {{.*}} {alias_scopes = [#[[X:.*]]], noalias_scopes = [#[[Y:.*]]]}
// CHECK: llvm.store {{.*}} {alias_scopes = [#[[Y]]], noalias_scopes = [#[[X]]]}
// CHECK: memref.load
// NARROW-LABEL: @apart
// NARROW: llvm.struct<(ptr, ptr, i32, array<1 x i32>, array<1 x i32>)>
func.func @apart(%arena: memref<128xi8>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<16xf32>
    memref.store %v, %b[%i] : memref<16xf32>
  }
  %v = memref.load %b[%c0] : memref<16xf32>
  return %v : f32
}

// -----

// %c has bytes of %a, which is dead by then: each of the two is distinct from %b alone.

// CHECK-LABEL: @reused
// CHECK: llvm.store {{.*}} {alias_scopes = [#[[A:.*]]], noalias_scopes = [#[[B:[^,]*]]]}
// CHECK: llvm.load {{.*}} {alias_scopes = [#[[A]]], noalias_scopes = [#[[B]]]}
// CHECK: llvm.store {{.*}} {alias_scopes = [#[[B]]], noalias_scopes = [#[[A]], #[[C:.*]]]}
// CHECK: llvm.store {{.*}} {alias_scopes = [#[[C]]], noalias_scopes = [#[[B]]]}
func.func @reused(%arena: memref<128xi8>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    memref.store %x, %a[%i] : memref<16xf32>
    %v = memref.load %a[%i] : memref<16xf32>
    %b = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
    memref.store %v, %b[%i] : memref<16xf32>
    %c = memref.view %arena[%c32][] : memref<128xi8> to memref<8xf32>
    memref.store %v, %c[%i] : memref<8xf32>
  }
  return
}

// -----

// An offset behind the end of the other view, whatever the size.

// CHECK-LABEL: @computed
// CHECK: llvm.load
// CHECK: llvm.store
func.func @computed(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %m = arith.maxsi %n, %c0 : index
  %bytes = arith.muli %m, %c4 : index
  %more = arith.addi %bytes, %c63 : index
  %lines = arith.divui %more, %c64 : index
  %behind = arith.muli %lines, %c64 : index
  %size = arith.addi %behind, %bytes : index
  %arena = memref.alloc(%size) : memref<?xi8>
  %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  %b = memref.view %arena[%behind][%n] : memref<?xi8> to memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// Offsets that nothing is known of; offsets of an iteration, by which the next one has the bytes of
// this; arenas of an iteration; names of other bytes; what a branch has chosen.

// CHECK-LABEL: @unknown
// CHECK-NOT: llvm.
// CHECK: return
func.func @unknown(%arena: memref<?xi8>, %at: index, %n: index, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  %b = memref.view %arena[%at][%n] : memref<?xi8> to memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %a[%i] : memref<?xf32>
    memref.store %v, %b[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %begin = arith.muli %i, %c64 : index
    %end = arith.addi %begin, %c64 : index
    %x = memref.view %arena[%begin][] : memref<?xi8> to memref<16xf32>
    %y = memref.view %arena[%end][] : memref<?xi8> to memref<16xf32>
    %v = memref.load %x[%i] : memref<16xf32>
    memref.store %v, %y[%i] : memref<16xf32>
    %own = memref.alloc() : memref<128xi8>
    %p = memref.view %own[%c0][] : memref<128xi8> to memref<16xf32>
    %q = memref.view %own[%c64][] : memref<128xi8> to memref<16xf32>
    memref.store %v, %p[%i] : memref<16xf32>
    memref.store %v, %q[%i] : memref<16xf32>
    memref.dealloc %own : memref<128xi8>
  }
  %k = memref.view %arena[%c0][] : memref<?xi8> to memref<16xf32>
  %l = memref.view %arena[%c64][] : memref<?xi8> to memref<16xf32>
  %r = memref.reinterpret_cast %k to offset: [16], sizes: [16], strides: [1] : memref<16xf32> to memref<16xf32, strided<[1], offset: 16>>
  %s = arith.select %bit, %k, %l : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %l[%i] : memref<16xf32>
    memref.store %v, %r[%i] : memref<16xf32, strided<[1], offset: 16>>
    memref.store %v, %s[%i] : memref<16xf32>
  }
  return
}

// -----

// Parts of views, elements of type index, an alignment that is stated.

// CHECK-LABEL: @parts
// CHECK: llvm.load {{.*}} {alias_scopes = {{.*}}, alignment = 32 : i64, noalias_scopes
// CHECK: llvm.store
// CHECK: llvm.load {{.*}} -> i64
// CHECK: builtin.unrealized_conversion_cast {{.*}} : i64 to index
func.func @parts(%arena: memref<256xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %aligned = memref.assume_alignment %arena, 64 : memref<256xi8>
  %a = memref.view %aligned[%c0][] : memref<256xi8> to memref<4x4xf32>
  %b = memref.view %arena[%c64][] : memref<256xi8> to memref<4x4xf32>
  %c = memref.view %arena[%c128][] : memref<256xi8> to memref<16xindex>
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %b[%i, 1] [1, 2] [1, 1] : memref<4x4xf32> to memref<2xf32, strided<[1], offset: ?>>
    %v = memref.load %a[%i, %c1] {alignment = 32 : i64} : memref<4x4xf32>
    memref.store %v, %row[%c1] : memref<2xf32, strided<[1], offset: ?>>
    %w = memref.load %c[%i] : memref<16xindex>
    memref.store %i, %c[%w] : memref<16xindex>
  }
  return
}
