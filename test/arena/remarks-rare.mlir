// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s -verify-diagnostics --remarks-filter-missed=buffer-reuse --remarks-filter-passed=buffer-reuse \
// RUN:     --buffer-reuse="require-dealloc=false unknown-ops=use pool-all" -o /dev/null

// A buffer that leaves the parallel region which owns it.

func.func @leaves_scope(%q: memref<8xf32>) {
  %token, %value = async.execute -> !async.value<memref<8xf32>> {
    // expected-remark @below {{left alone}}
    %a = memref.alloc() : memref<8xf32>
    async.yield %a : memref<8xf32>
  }
  %r = async.await %value : !async.value<memref<8xf32>>
  memref.copy %r, %q : memref<8xf32> to memref<8xf32>
  memref.dealloc %r : memref<8xf32>
  return
}

// The terminator of the scope reads it: there is no place to free an arena behind that.

func.func @terminator_uses(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    // expected-remark @below {{left alone}}
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%l: f32, %m: f32):
      %v = memref.load %a[%c0] : memref<8xf32>
      %s = arith.addf %v, %m : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

func.func @empty() {
  // expected-remark @below {{Reason="it holds no bytes", Remark="buffer of 0 bytes left alone"}}
  %a = memref.alloc() : memref<3x0xf32>
  memref.copy %a, %a : memref<3x0xf32> to memref<3x0xf32>
  memref.dealloc %a : memref<3x0xf32>
  return
}

// Threads of a block share workgroup memory: barriers alone say who is done with it.

gpu.module @kernels {
  gpu.func @kernel(%x: f32) kernel {
    %c0 = arith.constant 0 : index
    // expected-remark @below {{Reason="threads share it, and only barriers order what they do"}}
    %a = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.dealloc %a : memref<8xf32, #gpu.address_space<workgroup>>
    // expected-remark @below {{Reason="threads share it, and only barriers order what they do"}}
    %b = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.dealloc %b : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
