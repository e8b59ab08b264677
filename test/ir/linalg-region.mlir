// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// The body of a linalg.generic may read a buffer that is not among its operands.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func @captured
func.func @captured(%x: f32, %p: memref<8xf32>, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%b : memref<8xf32>) outs(%q : memref<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = memref.load %a[%c1] : memref<8xf32>
      %s = arith.addf %in, %v : f32
      linalg.yield %s : f32
  }
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// What an op reads and what it writes live together.

// CHECK-LABEL: func @input_and_output
func.func @input_and_output(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : memref<8xf32>) outs(%b : memref<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  }
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
