// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What became a stream and what stayed whole, as text and as JSON. The JSON is replayed: in each step
// the rows that ops touch lie in the windows it gives. The page's pictures show those rows and windows.

// RUN: rm -rf %t && mkdir %t
// RUN: stowage-opt %s --stream-rows="overlap=false rows=1 max-moved=1 report=text,json:%t/rows.json,text:%t/rows.txt,html:%t/rows.html" -o %t/out.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s < %t/rows.txt
// RUN: %python %S/streams_report.py %t/rows.json %t/rows.html | FileCheck %s --check-prefix=REPLAY
// RUN: stowage-opt %s --stream-rows="overlap=false rows=1 max-moved=1" -o %t/silent.mlir
// RUN: diff %t/out.mlir %t/silent.mlir
// RUN: stowage-opt %s --stream-rows="overlap=false rows=1 max-moved=1 report=none" -o /dev/null 2>&1 | count 0
// RUN: stowage-opt %S/executed.mlir --stream-rows="overlap=false max-moved=1 rows=3 report=json:%t/executed.json,html:%t/executed.html" -o /dev/null
// RUN: %python %S/streams_report.py %t/executed.json %t/executed.html | FileCheck %s --check-prefix=EXECUTED
// RUN: stowage-opt %S/left-alone.mlir --split-input-file --stream-rows=report=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: stowage-opt %S/left-alone.mlir --split-input-file --stream-rows=report=html:%t/none.html -o /dev/null 2>/dev/null
// RUN: grep -c '<section id="streams">' %t/none.html
// RUN: not stowage-opt %s --stream-rows=report=csv:%t/x 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not stowage-opt %s --stream-rows=report=text:%t/rows.txt,json:%t/no/such/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=FILE

// CHECK: stream-rows: 1 stream
// CHECK: {{^}}net
// CHECK-NEXT: arenas: 4044 bytes before, 332 after
// CHECK: stream 1: 64 steps, 3 buffers of 6016 bytes in 256, 4096 bytes moved
// CHECK-NEXT: delay period rate iterations op
// CHECK-NEXT: before - - - linalg.fill {{.*}}report.mlir:[[# @LINE + 51]]:3
// CHECK-NEXT: 0 1 1 64 linalg.exp {{.*}}report.mlir
// CHECK: 2 1 1 62 linalg.generic blur.mlir:3:5 blur
// CHECK: after - - - scf.for
// CHECK: delay rows kept bytes kept bytes storage buffer
// CHECK-NEXT: 0 64 3 2048 96 shift %alloc memref<64x8xf32>
// CHECK-NEXT: 2 1 1 12 12 whole %alloc_0 memref<3xf32>
// CHECK-NEXT: 2 62 1 1984 32 step %alloc_1 memref<62x8xf32>
// CHECK-NEXT: 2 62 1 1984 32 step %alloc_2 memref<62x8xf32>
// CHECK: whole, largest first
// CHECK-NEXT: %alloc_3, 32 bytes, memref<8xf32>, {{.*}}report.mlir
// CHECK-NEXT: sum-of-rows: the op adds up rows: its result is there at the end only: linalg.generic at
// CHECK-NEXT: %alloc_4, 32 bytes, memref<8xf32>
// CHECK-NEXT: not-split: the op has no loop along the rows that could run in parts: scf.for at {{.*}}report.mlir
// CHECK-NEXT: to change that: another form of the op
// CHECK-NEXT: %alloc_0, 12 bytes, memref<3xf32>
// CHECK-NEXT: all-rows: each row of the op's result needs all of them: linalg.generic at blur.mlir:3:5

// REPLAY: net: 64 steps of 11 ops, 6016 bytes in 256
// REPLAY: replayed
// REPLAY: 1 pictures as the report has them

// EXECUTED: steps of
// EXECUTED: replayed
// EXECUTED: {{[0-9]+}} pictures as the report has them

// NOTHING: stream-rows: 0 streams
// NOTHING-NEXT: of 3 linalg ops and copies no stream makes an arena smaller

// KIND: error: stream-rows: report must be text, text:FILE, json:FILE, html:FILE or none, not 'csv:
// FILE: error: stream-rows: cannot write the report to '{{.*}}/no/such/x': No such file
// FILE-NOT: scf.for %{{.*}} memref<1x
// FILE: memref.alloc() : memref<64x8xf32>

#rows = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#window = affine_map<(d0, d1, d2) -> (d2)>
#both = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

func.func @net(%x: memref<64x8xf32>, %f: memref<8x8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64x8xf32>
  %w = memref.alloc() : memref<3xf32>
  %p = memref.alloc() : memref<62x8xf32>
  %q = memref.alloc() : memref<62x8xf32>
  %r = memref.alloc() : memref<8xf32>
  %s = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%w : memref<3xf32>)
  linalg.exp ins(%x : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.fill ins(%zero : f32) outs(%p : memref<62x8xf32>)
  linalg.generic {indexing_maps = [#rows, #window, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : memref<64x8xf32>, memref<3xf32>) outs(%p : memref<62x8xf32>) {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %product = arith.mulf %in, %weight : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } loc("blur"("blur.mlir":3:5))
  linalg.fill ins(%zero : f32) outs(%q : memref<62x8xf32>)
  linalg.matmul ins(%p, %f : memref<62x8xf32>, memref<8x8xf32>) outs(%q : memref<62x8xf32>)
  linalg.fill ins(%zero : f32) outs(%r : memref<8xf32>)
  linalg.generic {indexing_maps = [#both, #column], iterator_types = ["reduction", "parallel"]}
    ins(%q : memref<62x8xf32>) outs(%r : memref<8xf32>) {
  ^bb0(%in: f32, %sum: f32):
    %next = arith.addf %sum, %in : f32
    linalg.yield %next : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %s[%i] : memref<8xf32>
  }
  %u = memref.load %r[%c0] : memref<8xf32>
  %v = memref.load %s[%c0] : memref<8xf32>
  %y = arith.addf %u, %v : f32
  return %y : f32
}
