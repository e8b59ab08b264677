// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums over rows by halves, and what they weigh. Right for any number of threads, which share the elements of each step.
// threads: 1 3 7 16 32 100

#ws = #gpu.address_space<workgroup>
!s = memref<16x16xf32, #ws>
!h = memref<16x16xf16, #ws>
!d = memref<4x16xf64, #ws>

gpu.module @m {
  gpu.func @kernel(%x: memref<16x32xf32>, %y: memref<16x32xf32>, %out: memref<16x16xf32>)
      workgroup(%products: !s, %halves: !s, %weights: !h, %columns: !d, %result: !s) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %n = gpu.block_dim x
    scf.for %e = %t to %c256 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %p = memref.load %x[%i, %j] : memref<16x32xf32>
      %q = memref.load %y[%j, %i] : memref<16x32xf32>
      %m = arith.mulf %p, %q : f32
      memref.store %m, %products[%i, %j] : !s
    }
    gpu.barrier
    scf.for %e = %t to %c256 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %m = memref.load %products[%j, %i] : !s
      memref.store %m, %halves[%i, %j] : !s
    }
    gpu.barrier
    scf.for %k = %c0 to %c4 step %c1 {
      %half = arith.shrui %c8, %k : index
      %count = arith.muli %half, %c16 : index
      scf.for %e = %t to %count step %n {
        %i = arith.divui %e, %half : index
        %j = arith.remui %e, %half : index
        %far = arith.addi %j, %half : index
        %a = memref.load %halves[%i, %j] : !s
        %b = memref.load %halves[%i, %far] : !s
        %c = arith.addf %a, %b : f32
        memref.store %c, %halves[%i, %j] : !s
      }
      gpu.barrier
    }
    scf.for %e = %t to %c256 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %a = memref.load %halves[%j, %c0] : !s
      %b = memref.load %x[%i, %j] : memref<16x32xf32>
      %c = arith.mulf %a, %b : f32
      %d = arith.truncf %c : f32 to f16
      memref.store %d, %weights[%i, %j] : !h
    }
    gpu.barrier
    scf.for %e = %t to %c64 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %low = arith.muli %i, %c4 : index
      %high = arith.addi %low, %c4 : index
      %a = memref.load %weights[%low, %j] : !h
      %b = arith.subi %high, %c1 : index
      %c = memref.load %weights[%b, %j] : !h
      %d = arith.extf %a : f16 to f64
      %f = arith.extf %c : f16 to f64
      %g = arith.addf %d, %f : f64
      memref.store %g, %columns[%i, %j] : !d
    }
    gpu.barrier
    scf.for %e = %t to %c256 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %row = arith.divui %i, %c4 : index
      %a = memref.load %columns[%row, %j] : !d
      %b = arith.truncf %a : f64 to f32
      memref.store %b, %result[%j, %i] : !s
    }
    gpu.barrier
    scf.for %e = %t to %c256 step %n {
      %i = arith.divui %e, %c16 : index
      %j = arith.remui %e, %c16 : index
      %a = memref.load %result[%i, %j] : !s
      memref.store %a, %out[%i, %j] : memref<16x16xf32>
    }
    gpu.return
  }
}
