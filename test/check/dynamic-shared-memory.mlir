// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan -verify-diagnostics -split-input-file -o /dev/null

// All gpu.dynamic_shared_memory of a kernel are the same memory.

gpu.module @m {
  gpu.func @again(%q: memref<64xf32>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %i = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-note@+1 {{this is the other view}}
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %t = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-note@+1 {{this is the view that is written}}
    %b = memref.view %t[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    // expected-note@+1 {{it is written here}}
    memref.store %x, %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    // expected-error@+1 {{overwrites bytes 0 to 256 of an arena, which hold what another view has yet to read}}
    memref.store %x, %b[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    // expected-note@+1 {{and read here}}
    %v = memref.load %a[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %q[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

// Other bytes of it are apart.
gpu.module @m {
  gpu.func @apart(%q: memref<64xf32>, %x: f32) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %i = gpu.thread_id x
    %s = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %s[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    %t = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %b = memref.view %t[%c256][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %x, %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %v = memref.load %a[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %q[%i] : memref<64xf32>
    gpu.return
  }
}
