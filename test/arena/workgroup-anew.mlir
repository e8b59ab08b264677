// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan 2>/dev/null | FileCheck %s --implicit-check-not=memref.view

// An iteration may read of %b what an earlier one has left. No buffer shares bytes with it.

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

gpu.module @m {
  // In the second run of the inner loop another cell is stored.
  // CHECK: gpu.func @outer_variable
  gpu.func @outer_variable(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c1 step %c1 {
        gpu.barrier
        memref.store %f, %b[%i] : !b
        gpu.barrier
        %r = memref.load %b[%c0] : !b
        memref.store %r, %out[%i] : memref<16xf32>
        gpu.barrier
      }
      memref.store %f, %a[%t] : !b
      gpu.barrier
      %s = memref.load %a[%c1] : !b
      memref.store %s, %out[%c4] : memref<16xf32>
      gpu.barrier
    }
    gpu.return
  }

  // One path around the store.
  // CHECK: gpu.func @some_block
  gpu.func @some_block(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c2 step %c1 {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.execute_region {
        cf.cond_br %first, ^x, ^y
      ^x:
        memref.store %f, %b[%t] : !b
        cf.br ^y
      ^y:
        scf.yield
      }
      gpu.barrier
      %r = memref.load %b[%c0] : !b
      memref.store %r, %out[%i] : memref<16xf32>
      gpu.barrier
      memref.store %f, %a[%t] : !b
      gpu.barrier
      %s = memref.load %a[%c1] : !b
      memref.store %s, %out[%c4] : memref<16xf32>
      gpu.barrier
    }
    gpu.return
  }

  // The mask has fewer lanes each time.
  // CHECK: gpu.func @masked
  gpu.func @masked(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %v = arith.constant dense<1.0> : vector<4xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      %n = arith.subi %c1, %i : index
      %m = vector.create_mask %n : vector<4xi1>
      vector.mask %m { vector.transfer_write %v, %b[%c0] {in_bounds = [true]} : vector<4xf32>, !b } : vector<4xi1>
      gpu.barrier
      %r = memref.load %b[%c0] : !b
      memref.store %r, %out[%i] : memref<16xf32>
      gpu.barrier
      memref.store %f, %a[%t] : !b
      gpu.barrier
      %s = memref.load %a[%c1] : !b
      memref.store %s, %out[%c4] : memref<16xf32>
      gpu.barrier
    }
    gpu.return
  }

  // The op that sets all of it reads it by another name.
  // CHECK: gpu.func @two_names
  gpu.func @two_names(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c2 step %c1 {
      %w = memref.cast %b : !b to memref<4xf32, strided<[1], offset: ?>, #ws>
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%w : memref<4xf32, strided<[1], offset: ?>, #ws>) outs(%b : !b) {
      ^bb0(%x: f32, %o: f32):
        %y = arith.addf %x, %f : f32
        linalg.yield %y : f32
      }
      gpu.barrier
      %r = memref.load %b[%c0] : !b
      memref.store %r, %out[%i] : memref<16xf32>
      gpu.barrier
      memref.store %f, %a[%t] : !b
      gpu.barrier
      %s = memref.load %a[%c1] : !b
      memref.store %s, %out[%c4] : memref<16xf32>
      gpu.barrier
    }
    gpu.return
  }

  // A name that is made outside of the loop is there in all iterations.
  // CHECK: gpu.func @named_outside
  gpu.func @named_outside(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %w = memref.subview %b[0] [2] [1] : !b to memref<2xf32, strided<[1]>, #ws>
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %f, %b[%t] : !b
      gpu.barrier
      %r = memref.load %w[%c0] : memref<2xf32, strided<[1]>, #ws>
      memref.store %r, %out[%i] : memref<16xf32>
      gpu.barrier
      memref.store %f, %a[%t] : !b
      gpu.barrier
      %s = memref.load %a[%c1] : !b
      memref.store %s, %out[%c4] : memref<16xf32>
      gpu.barrier
    }
    gpu.return
  }
}
