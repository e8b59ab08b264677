// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse | FileCheck %s

// The body of an op that runs once per element owns its arena, inside.

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func @lg
// CHECK:         linalg.generic
// CHECK:           %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:       memref.alloc()
// CHECK:           memref.dealloc %[[POOL]]
// CHECK-NOT:       memref.dealloc
// CHECK:           {{linalg.yield|tensor.yield|scf.reduce.return}}
func.func @lg(%x: f32, %q: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%q : memref<8xf32>) {
    ^bb0(%out: f32):
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : memref<8xf32>
      memref.store %x, %a[%c0] : memref<8xf32>
      memref.dealloc %a : memref<8xf32>
      %b = memref.alloc() : memref<8xf32>
      memref.store %x, %b[%c0] : memref<8xf32>
      %v = memref.load %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      linalg.yield %v : f32
  }
  return
}

// CHECK-LABEL: func @tg
// CHECK:         tensor.generate
// CHECK:           %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:       memref.alloc()
// CHECK:           memref.dealloc %[[POOL]]
// CHECK-NOT:       memref.dealloc
// CHECK:           {{linalg.yield|tensor.yield|scf.reduce.return}}
func.func @tg(%x: f32) -> tensor<8xf32> {
  %t = tensor.generate {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      %a = memref.alloc() : memref<8xf32>
      memref.store %x, %a[%c0] : memref<8xf32>
      memref.dealloc %a : memref<8xf32>
      %b = memref.alloc() : memref<8xf32>
      memref.store %x, %b[%c0] : memref<8xf32>
      %v = memref.load %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      tensor.yield %v : f32
  } : tensor<8xf32>
  return %t : tensor<8xf32>
}

// CHECK-LABEL: func @reduce_region
// CHECK:         scf.reduce
// CHECK:           %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32xi8>
// CHECK-NOT:       memref.alloc()
// CHECK:           memref.dealloc %[[POOL]]
// CHECK-NOT:       memref.dealloc
// CHECK:           {{linalg.yield|tensor.yield|scf.reduce.return}}
func.func @reduce_region(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %b = memref.alloc() : memref<8xf32>
      memref.store %l, %b[%c0] : memref<8xf32>
      %v = memref.load %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      %d = memref.alloc() : memref<8xf32>
      memref.store %l, %d[%c0] : memref<8xf32>
      memref.dealloc %d : memref<8xf32>
      %s = arith.addf %v, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// One inside and one outside have no partner.

// CHECK-LABEL: func @linalg_red
// CHECK-COUNT-2: memref.alloc() : memref<8xf32>
func.func @linalg_red(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%q : memref<8xf32>) {
    ^bb0(%out: f32):
      %b = memref.alloc() : memref<8xf32>
      memref.store %x, %b[%c0] : memref<8xf32>
      %v = memref.load %b[%c0] : memref<8xf32>
      memref.dealloc %b : memref<8xf32>
      linalg.yield %v : f32
  }
  return
}
