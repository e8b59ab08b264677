// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s > %t.before
// RUN: stowage-opt %s --buffer-deallocation --remarks-filter-missed='.*' 2> %t.placed | diff %t.before -
// RUN: FileCheck %s < %t.placed
// RUN: stowage-opt %s --buffer-deallocation=tighten --remarks-filter-missed='.*' 2> %t.tight | diff %t.before -
// RUN: FileCheck %s < %t.tight
// RUN: stowage-opt %s --hoist-allocations --remarks-filter-missed='.*' 2> %t.hoisted | diff %t.before -
// RUN: FileCheck %s < %t.hoisted
// RUN: stowage-opt %s --promote-allocs-to-stack --remarks-filter-missed='.*' 2> %t.stack | diff %t.before -
// RUN: FileCheck %s < %t.stack
// RUN: stowage-opt %s --merge-alloc --remarks-filter-missed='.*' 2> %t.merged | diff %t.before -
// RUN: FileCheck %s < %t.merged
// RUN: stowage-opt %s --buffer-reuse --remarks-filter-missed='.*' 2> %t.reused | diff %t.before -
// RUN: FileCheck %s < %t.reused
// RUN: stowage-opt %s --insert-lifetimes | diff %t.before -
// RUN: stowage-opt %s --elide-copies | diff %t.before -
// RUN: stowage-opt %s --stream-rows | diff %t.before -
// RUN: stowage-opt %s --order-for-memory | diff %t.before -
// RUN: not stowage-opt %s --merge-alloc="arena=argument public result-arguments" 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: stowage-opt %s --lower-clones | FileCheck %s --check-prefix=CLONE

// A marked allocation stays as it is, where it is, in every pass, and a remark says why.

func.func private @take(memref<4xi32>)

func.func @taken(%x: memref<4xi32>) {
  // CHECK: manual.mlir:[[#@LINE+1]]:{{.*}}'bufferization.manual_deallocation' says that the program frees it itself
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi32>
  memref.copy %x, %m : memref<4xi32> to memref<4xi32>
  call @take(%m) : (memref<4xi32>) -> ()
  return
}

func.func @twice(%n: index, %x: memref<4xi32>, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: manual.mlir:[[#@LINE+1]]:{{.*}}'bufferization.manual_deallocation' says that the program frees it itself
    %a = memref.alloc() {bufferization.manual_deallocation} : memref<4xi32>
    // CHECK: manual.mlir:[[#@LINE+1]]:{{.*}}'bufferization.manual_deallocation' says that the program frees it itself
    %b = memref.alloc() {bufferization.manual_deallocation} : memref<4xi32>
    memref.copy %x, %a : memref<4xi32> to memref<4xi32>
    memref.copy %a, %b : memref<4xi32> to memref<4xi32>
    memref.copy %b, %out : memref<4xi32> to memref<4xi32>
    memref.dealloc %a {bufferization.manual_deallocation} : memref<4xi32>
    memref.dealloc %b {bufferization.manual_deallocation} : memref<4xi32>
  }
  return
}

// RETURNED: it may be an allocation that bufferization.manual_deallocation marks
// CLONE-LABEL: func.func @returned(
// CLONE: memref.alloc() {bufferization.manual_deallocation} : memref<4xi32>
func.func @returned(%x: memref<4xi32>) -> memref<4xi32> {
  // CHECK: manual.mlir:[[#@LINE+1]]:{{.*}}'bufferization.manual_deallocation' says that the program frees it itself
  %m = bufferization.clone %x {bufferization.manual_deallocation} : memref<4xi32> to memref<4xi32>
  return %m : memref<4xi32>
}
