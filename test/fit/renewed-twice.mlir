// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// %b1 is renewed before the loop, and again at the end, where the fill that wrote the first of these buffers runs again.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(buffer-deallocation,fit-memory{capacity-in-bytes=832 reduce-peak=false})' | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(buffer-deallocation,fit-memory{capacity-in-bytes=832 reduce-peak=false})' --remarks-filter=fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOLD

// CHECK: equal
// TOLD: ops that run again: 2;

func.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  %c0 = arith.constant 0.0 : f32
  %c1 = arith.constant 1.5 : f32
  %c2 = arith.constant -2.25 : f32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %b0 = memref.alloc() : memref<64xf32>
  %b1 = memref.alloc() : memref<64xf32>
  %b2 = memref.alloc() : memref<64xf32>
  %b3 = memref.alloc() : memref<64xf32>
  linalg.add ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%b2 : memref<64xf32>)
  memref.copy %z, %b0 : memref<64xf32> to memref<64xf32>
  linalg.mul ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%b1 : memref<64xf32>)
  linalg.exp ins(%b0 : memref<64xf32>) outs(%b2 : memref<64xf32>)
  scf.for %j7 = %i0 to %i2 step %i1 {
    %w7 = memref.load %b1[%j7] : memref<64xf32>
    memref.store %w7, %b2[%j7] : memref<64xf32>
  }
  linalg.abs ins(%b1 : memref<64xf32>) outs(%b3 : memref<64xf32>)
  linalg.fill ins(%c0 : f32) outs(%b1 : memref<64xf32>)
  linalg.mul ins(%b3, %b3 : memref<64xf32>, memref<64xf32>) outs(%b2 : memref<64xf32>)
  linalg.sub ins(%z, %b3 : memref<64xf32>, memref<64xf32>) outs(%b0 : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b0 : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.addf %in, %out : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b3 : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.addf %in, %out : f32
    linalg.yield %q : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%b1 : memref<64xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.addf %in, %out : f32
    linalg.yield %q : f32
  }
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %e = arith.constant 0.03125 : f32
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  %z = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %g = arith.mulf %f, %e : f32
    memref.store %g, %x[%i] : memref<64xf32>
    memref.store %e, %y[%i] : memref<64xf32>
    memref.store %f, %z[%i] : memref<64xf32>
  }
  call @f(%x, %y, %z) : (memref<64xf32>, memref<64xf32>, memref<64xf32>) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    vector.print %v : f32
    %w = memref.load %z[%i] : memref<64xf32>
    vector.print %w : f32
    %u = memref.load %x[%i] : memref<64xf32>
    vector.print %u : f32
  }
  memref.dealloc %x : memref<64xf32>
  memref.dealloc %y : memref<64xf32>
  memref.dealloc %z : memref<64xf32>
  return
}
