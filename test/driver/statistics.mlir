// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What passes found, planned and left alone, counted where MLIR's own option asks for it, in any tool.

// RUN: stowage-opt %s --split-input-file --merge-alloc --mlir-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=MERGE --match-full-lines
// RUN: mlir-opt %s --load-pass-plugin=%plugin --split-input-file --pass-pipeline='builtin.module(merge-alloc)' --mlir-pass-statistics \
// RUN:     -o /dev/null 2>&1 | FileCheck %s --check-prefix=MERGE --match-full-lines
// RUN: stowage-opt %s --split-input-file --merge-alloc -o /dev/null 2>&1 | count 0
// RUN: stowage-opt %s --split-input-file --stowage-memory=reduce-peak --check-arena-plan --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PIPELINE
// RUN: not stowage-opt %s --split-input-file --buffer-deallocation --merge-alloc=capacity-in-bytes=100 --mlir-pass-statistics -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAILS
// RUN: stowage-opt %s --split-input-file --buffer-reuse="analysis report=none" --pack-stack --mlir-pass-statistics -o %t.out 2>%t.err
// RUN: FileCheck %s --check-prefix=ANALYSIS --match-full-lines < %t.err

// The numbers of both modules.
// MERGE:                         ... Stowage statistics report ...
// MERGE:      merge-alloc
// MERGE-NEXT:   (S)        2 runs
// MERGE-NEXT:   (S)        6 buffers before
// MERGE-NEXT:   (S)        4 buffers after
// MERGE-NEXT:   (S)      416 bytes before
// MERGE-NEXT:   (S)      224 bytes after
// MERGE-NEXT:   (S)        4 passed: arena
// MERGE-NEXT:   (S)        1 missed: dynamic-shape
// MERGE-NEXT:   (S)        1 missed: returned
// MERGE-NOT:  {{.+}}

// Passes of a pipeline, in the order of their names. What reduce-peak tries is not counted.
// PIPELINE:      {{^}}buffer-deallocation{{$}}
// PIPELINE-NEXT: 2 runs
// PIPELINE:      {{^}}buffer-reuse{{$}}
// PIPELINE-NEXT: 2 runs
// PIPELINE-NEXT: 6 buffers before
// PIPELINE-NEXT: 4 buffers after
// PIPELINE:      {{^}}check-arena-plan{{$}}
// PIPELINE-NEXT: 2 runs
// PIPELINE-NEXT: 4 buffers before
// PIPELINE-NEXT: 4 buffers after
// PIPELINE-NEXT: 224 bytes before
// PIPELINE-NEXT: 224 bytes after
// PIPELINE-NOT:  elide-copies
// PIPELINE:      {{^}}reduce-peak{{$}}
// PIPELINE-NEXT: 2 runs
// PIPELINE:      2 analysis: nothing-done

// The first module is left as it was, the second is planned.
// FAILS:      error: buffers live at one time need 128 bytes
// FAILS:      {{^}}buffer-deallocation{{$}}
// FAILS:      missed: left-alone: its address is stored
// FAILS:      {{^}}merge-alloc{{$}}
// FAILS-NEXT: 2 runs
// FAILS-NEXT: 6 buffers before
// FAILS-NEXT: 5 buffers after
// FAILS-NEXT: 416 bytes before
// FAILS-NEXT: 352 bytes after

// ANALYSIS:      buffer-reuse
// ANALYSIS-NEXT:   (S)        2 runs
// ANALYSIS-NEXT:   (S)        6 buffers before
// ANALYSIS-NEXT:   (S)        6 buffers after
// ANALYSIS-NEXT:   (S)      416 bytes before
// ANALYSIS-NEXT:   (S)      416 bytes after
// ANALYSIS-NEXT:   (S)        1 missed: dynamic-shape
// ANALYSIS-NEXT:   (S)        1 missed: returned
// ANALYSIS-NEXT:   (S)        4 analysis: arena
// ANALYSIS-NEXT: pack-stack
// ANALYSIS:        (S)        2 analysis: nothing-done

func.func @f(%x: f32, %i: index) -> memref<8xf32> {
  %a = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
  memref.store %x, %a[%i] : memref<32xf32>
  %y = memref.load %a[%i] : memref<32xf32>
  memref.dealloc %a : memref<32xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
  memref.store %y, %b[%i] : memref<32xf32>
  %z = memref.load %b[%i] : memref<32xf32>
  memref.dealloc %b : memref<32xf32>
  %r = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  memref.store %z, %r[%i] : memref<8xf32>
  return %r : memref<8xf32>
}

// -----

func.func @g(%n: index, %x: f32, %i: index, %table: memref<memref<?xf32>>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  memref.store %x, %a[%i] : memref<16xf32>
  %y = memref.load %a[%i] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  memref.store %y, %b[%i] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %d = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.store %d, %table[] : memref<memref<?xf32>>
  return
}
