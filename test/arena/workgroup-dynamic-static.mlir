// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory --remarks-filter=merge-alloc 2>&1 | FileCheck %s --implicit-check-not=gpu.dynamic_shared_memory

// Static memory that is no attribution keeps an arena out of dynamic memory, too.
// CHECK-COUNT-3: as other memory of the kernel is static

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

module attributes {gpu.container_module} {
  gpu.module @m {
    memref.global "private" @shared : !b = uninitialized
    gpu.func @k(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      %g = memref.get_global @shared : !b
      memref.store %f, %g[%t] : !b
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      gpu.return
    }
  }
  func.func @launch(%f: f32, %out: memref<16xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %out : memref<16xf32>)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      %bar = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #ws>
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      gpu.return
    }
  }
  func.func @launch(%f: f32, %out: memref<16xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %out : memref<16xf32>)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

module attributes {gpu.container_module} {
  gpu.module @m {
    llvm.mlir.global internal @raw() {addr_space = 3 : i32} : !llvm.array<16 x i8>
    gpu.func @k(%f: f32, %out: memref<16xf32>) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      gpu.return
    }
  }
  func.func @launch(%f: f32, %out: memref<16xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %out : memref<16xf32>)
    return
  }
}
