// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each turn computes scores, sums over all of them, and weights, which may lie where the scores were, and so may what it gives.
// threads: 16

#ws = #gpu.address_space<workgroup>
!s = memref<16x16xf32, #ws>
!h = memref<16x16xf16, #ws>
!r = memref<16xf32, #ws>

gpu.module @m {
  gpu.func @kernel(%x: memref<16x32xf32>, %y: memref<16x32xf32>, %out: memref<16x16xf32>)
      workgroup(%scores: !s, %weights: !h, %tile: !r, %rows: !r) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %result = scf.for %k = %c0 to %c32 step %c8 iter_args(%so_far = %zero) -> f32 {
      gpu.barrier
      scf.for %j = %c0 to %c16 step %c1 {
        %p = memref.load %x[%t, %k] : memref<16x32xf32>
        %q = memref.load %y[%j, %k] : memref<16x32xf32>
        %m = arith.mulf %p, %q : f32
        memref.store %m, %scores[%t, %j] : !s
      }
      gpu.barrier
      %sum = scf.for %j = %c0 to %c16 step %c1 iter_args(%v = %zero) -> f32 {
        %m = memref.load %scores[%j, %t] : !s
        %w = arith.addf %v, %m : f32
        scf.yield %w : f32
      }
      gpu.barrier
      scf.for %j = %c0 to %c16 step %c1 {
        %p = memref.load %x[%j, %k] : memref<16x32xf32>
        %m = arith.mulf %sum, %p : f32
        %f = arith.truncf %m : f32 to f16
        memref.store %f, %weights[%j, %t] : !h
      }
      gpu.barrier
      %again = scf.for %j = %c0 to %c16 step %c1 iter_args(%v = %so_far) -> f32 {
        %m = memref.load %weights[%t, %j] : !h
        %e = arith.extf %m : f16 to f32
        %w = arith.addf %v, %e : f32
        scf.yield %w : f32
      }
      gpu.barrier
      memref.store %again, %tile[%t] : !r
      gpu.barrier
      %left = arith.subi %c16, %c1 : index
      %back = arith.subi %left, %t : index
      %other = memref.load %tile[%back] : !r
      gpu.barrier
      scf.yield %other : f32
    }
    memref.store %result, %rows[%t] : !r
    gpu.barrier
    scf.for %j = %c0 to %c16 step %c1 {
      %v = memref.load %rows[%j] : !r
      memref.store %v, %out[%t, %j] : memref<16x16xf32>
    }
    gpu.return
  }
}
