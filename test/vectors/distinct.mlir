// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over views whose bytes are apart become functions that say so: at static offsets, at computed ones, in several stackings. An
// argument that shares bytes with another, or may, is not distinct; nothing is moved where LLVM would learn nothing.

// RUN: stowage-opt %s --outline-distinct-views | FileCheck %s
// RUN: stowage-opt %s --outline-distinct-views | mlir-opt --pass-pipeline='builtin.module(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | opt -O3 -force-vector-width=4 -S | FileCheck %s --check-prefix=LLVM
// RUN: stowage-opt %s | mlir-opt --pass-pipeline='builtin.module(convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-to-llvm,reconcile-unrealized-casts)' | mlir-translate --mlir-to-llvmir | opt -O3 -force-vector-width=4 -S | FileCheck %s --check-prefix=BEFORE

// LLVM-LABEL: define {{.*}} @computed(
// LLVM-NOT: memcheck
// LLVM: <{{[0-9]+}} x float>
// LLVM-NOT: memcheck
// LLVM-LABEL: define {{.*}} @selected(

// BEFORE-LABEL: define {{.*}} @computed(
// BEFORE: vector.memcheck:
// BEFORE-LABEL: define {{.*}} @selected(

// CHECK-LABEL: func.func private @computed_loop(
// CHECK-SAME: memref<f32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: memref<f32> {llvm.noalias}, %{{.*}}: index, %{{.*}}: index) attributes {llvm.bareptr, llvm.linkage = #llvm.linkage<internal>}
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}], strides: [1] : memref<f32> to memref<?xf32>
// CHECK: affine.for
// CHECK: return
// CHECK-LABEL: func.func @computed(
// CHECK: call @computed_loop
// CHECK-NOT: affine.for
func.func @computed(%arena: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %positive = arith.maxsi %n, %c0 : index
  %bytes = arith.muli %positive, %c4 : index
  %more = arith.addi %bytes, %c63 : index
  %lines = arith.divui %more, %c64 : index
  %offset = arith.muli %lines, %c64 : index
  %a = memref.view %arena[%c0][%n] : memref<?xi8> to memref<?xf32>
  %b = memref.view %arena[%offset][%n] : memref<?xi8> to memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = affine.load %b[%i] : memref<?xf32>
    %z = arith.mulf %x, %y : f32
    affine.store %z, %b[%i] : memref<?xf32>
  }
  return
}

// Whichever of two stackings is taken.
// CHECK-LABEL: func.func private @selected_loop(
// CHECK-SAME: llvm.noalias
// CHECK-SAME: llvm.noalias
// CHECK-LABEL: func.func @selected(
func.func @selected(%arena: memref<?xi8>, %n: index, %bit: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %a0 = arith.select %bit, %c0, %c256 : index
  %b0 = arith.select %bit, %c256, %c0 : index
  %a = memref.view %arena[%a0][] : memref<?xi8> to memref<64xf32>
  %b = memref.view %arena[%b0][] : memref<?xi8> to memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<64xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %b[%i] : memref<64xf32>
  }
  return
}

// The first two share bytes; the third is apart from both.
// CHECK-LABEL: func.func private @overlapping_loop(
// CHECK-SAME: %{{[^:]*}}: memref<f32>, %{{[^:]*}}: memref<f32>, %{{[^:]*}}: memref<f32> {llvm.noalias})
// CHECK-LABEL: func.func @overlapping(
func.func @overlapping(%arena: memref<2048xi8>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %a = memref.view %arena[%c0][] : memref<2048xi8> to memref<64xf32>
  %b = memref.view %arena[%c128][] : memref<2048xi8> to memref<64xf32>
  %c = memref.view %arena[%c1024][] : memref<2048xi8> to memref<64xf32>
  affine.for %i = 0 to 64 {
    %x = affine.load %a[%i] : memref<64xf32>
    affine.store %x, %b[%i] : memref<64xf32>
    affine.store %x, %c[%i] : memref<64xf32>
  }
  return
}

func.func private @taken(memref<64xf32>, memref<64xf32>)

// In place, or only read, or at offsets of which nothing is known, or with a call: they stay. A number comes back.
// CHECK-LABEL: func.func private @others_loop(
// CHECK-SAME: -> f32
// CHECK: return %{{.*}} : f32
// CHECK-LABEL: func.func @others(
// CHECK: linalg.exp
// CHECK: linalg.exp
// CHECK: affine.for
// CHECK: call @others_loop({{.*}} -> f32
func.func @others(%arena: memref<2048xi8>, %k: index, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.view %arena[%c0][] : memref<2048xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<2048xi8> to memref<64xf32>
  %any = memref.view %arena[%k][] : memref<2048xi8> to memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%any : memref<64xf32>)
  affine.for %i = 0 to 64 {
    func.call @taken(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  %sum = affine.for %i = 0 to 64 iter_args(%s = %zero) -> f32 {
    %x = affine.load %a[%i] : memref<64xf32>
    affine.store %x, %b[%i] : memref<64xf32>
    %t = arith.addf %s, %x : f32
    affine.yield %t : f32
  }
  affine.store %sum, %out[0] : memref<1xf32>
  return
}

memref.global "private" constant @weight : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// A stream's row, asked for twice, is one buffer; the views of the loop around it take turns in their bytes. A constant is apart.
// CHECK-LABEL: func.func private @rows_loop(
// CHECK-SAME: %{{[^:]*}}: memref<f32> {llvm.noalias}, %{{[^:]*}}: index, %{{[^:]*}}: memref<f32> {llvm.noalias})
// CHECK: linalg.generic
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: call @rows_loop
func.func @rows(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %arena = memref.alloc() {alignment = 64 : i64} : memref<48xi8>
  %rows = memref.view %arena[%c0][] : memref<48xi8> to memref<2x4xf32>
  %other = memref.view %arena[%c16][] : memref<48xi8> to memref<4xf32>
  %weight = memref.get_global @weight : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.remui %i, %c2 : index
    %row = memref.subview %rows[%k, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %again = arith.remui %i, %c2 : index
    %same = memref.subview %rows[%again, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%row, %weight : memref<4xf32, strided<[1], offset: ?>>, memref<4xf32>) outs(%same : memref<4xf32, strided<[1], offset: ?>>) {
    ^bb0(%x: f32, %w: f32, %o: f32):
      %s = arith.addf %x, %w : f32
      linalg.yield %s : f32
    }
    memref.store %zero, %other[%c0] : memref<4xf32>
  }
  memref.dealloc %arena : memref<48xi8>
  return
}

// Its code is for another processor, which a function of the loop would not say.
// CHECK-LABEL: func.func @compiled_otherwise(
// CHECK: linalg.exp
func.func @compiled_otherwise(%arena: memref<512xi8>) attributes {passthrough = [["target-cpu", "x86-64-v4"]]} {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %a = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %b = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  return
}

// Dimensions of a buffer that exists: their product has a limit, though each alone has none, as the other may be 0.
// CHECK-LABEL: func.func private @rectangle_loop(
// CHECK-SAME: llvm.noalias
// CHECK-SAME: llvm.noalias
// CHECK-LABEL: func.func @rectangle(
// CHECK-LABEL: func.func @row(
// CHECK: affine.for
func.func @rectangle(%arena: memref<?xi8>, %x: memref<?x?xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3072 = arith.constant 3072 : index
  %n = memref.dim %x, %c0 : memref<?x?xi16>
  %m = memref.dim %x, %c1 : memref<?x?xi16>
  %elements = arith.muli %n, %m : index
  %offset = arith.muli %elements, %c3072 : index
  %b = memref.view %arena[%offset][%n, %m] : memref<?xi8> to memref<?x?xf32>
  %c = memref.view %arena[%c0][%n, %m] : memref<?xi8> to memref<?x?x768xf32>
  affine.for %i = 0 to 64 {
    %y = affine.load %c[0, 0, %i] : memref<?x?x768xf32>
    affine.store %y, %b[0, %i] : memref<?x?xf32>
  }
  return
}

func.func @row(%arena: memref<?xi8>, %x: memref<?x?xi16>) {
  %c0 = arith.constant 0 : index
  %c3072 = arith.constant 3072 : index
  %n = memref.dim %x, %c0 : memref<?x?xi16>
  %bytes = arith.muli %n, %c3072 : index
  %offset = arith.addi %bytes, %c3072 : index
  %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
  %b = memref.view %arena[%offset][] : memref<?xi8> to memref<64xf32>
  affine.for %i = 0 to 64 {
    %y = affine.load %a[%i] : memref<64xf32>
    affine.store %y, %b[%i] : memref<64xf32>
  }
  return
}
