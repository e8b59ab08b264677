// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A picture has at most 512 columns: of more steps, several are drawn as one. In a page, nothing of the
// input is markup.

// RUN: rm -rf %t && mkdir %t
// RUN: stowage-opt %s --stream-rows="rows=1 max-moved=1 report=json:%t/rows.json,html:%t/rows.html" -o /dev/null
// RUN: %python %S/streams_report.py %t/rows.json %t/rows.html | FileCheck %s
// RUN: not grep '<img' %t/rows.html

// CHECK: 1300 steps
// CHECK: 1 pictures as the report has them

#rows = affine_map<(d0, d1, d2) -> (d0 + d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#window = affine_map<(d0, d1, d2) -> (d2)>

func.func @"<img src=x>"(%x: memref<1300x8xf32>, %w: memref<5xf32>, %f: memref<8x8xf32>) -> memref<1296x8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<1300x8xf32>
  %b = memref.alloc() : memref<1296x8xf32>
  %y = memref.alloc() : memref<1296x8xf32>
  linalg.exp ins(%x : memref<1300x8xf32>) outs(%a : memref<1300x8xf32>) loc("<img src=y>"("<img src=z>":1:1))
  linalg.fill ins(%zero : f32) outs(%b : memref<1296x8xf32>)
  linalg.generic {indexing_maps = [#rows, #window, #out], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %w : memref<1300x8xf32>, memref<5xf32>) outs(%b : memref<1296x8xf32>) {
  ^bb0(%in: f32, %weight: f32, %sum: f32):
    %product = arith.mulf %in, %weight : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<1296x8xf32>)
  linalg.matmul ins(%b, %f : memref<1296x8xf32>, memref<8x8xf32>) outs(%y : memref<1296x8xf32>)
  return %y : memref<1296x8xf32>
}
