// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory --check-arena-plan | FileCheck %s --implicit-check-not=gpu.dynamic_shared_memory
// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory --remarks-filter=merge-alloc 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: not stowage-opt %s --split-input-file --merge-alloc='dynamic-workgroup-memory workgroup-capacity-in-bytes=24' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CAPACITY

// Whatever op makes other memory of the kernel, that is static and counts.

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

// SAID: 2 workgroup buffers of 32 bytes put into 16 bytes of an attribution, as other memory of the kernel is static
// CHECK-LABEL: gpu.func @clone
// CHECK-SAME:    workgroup(%{{.*}} : memref<16xi8
// CAPACITY: the kernel needs 32 bytes of workgroup memory, but workgroup-capacity-in-bytes is 24
// CAPACITY: note: left alone: 16 bytes
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @clone(%f: f32, %out: memref<4xf32>) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      %c = bufferization.clone %out : memref<4xf32> to !b
      memref.store %f, %c[%t] : !b
      gpu.return
    }
  }
  func.func @launch(%f: f32, %out: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@clone blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %out : memref<4xf32>)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

// SAID: as other memory of the kernel is static
// CHECK-LABEL: gpu.func @inside
// CHECK:         memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
// CAPACITY: the kernel needs 32 bytes of workgroup memory, but workgroup-capacity-in-bytes is 24
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @inside(%f: f32) workgroup(%a: !b, %b: !b) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
        %c = memref.alloc() : !b
        memref.store %f, %c[%t] : !b
        scf.reduce
      }
      gpu.return
    }
  }
  func.func @launch(%f: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@inside blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

// Its size is not known, and so it does not count.
// SAID: as other memory of the kernel is static
// CHECK-LABEL: gpu.func @unknown_size
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32, #gpu.address_space<workgroup>>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @unknown_size(%f: f32, %n: index) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      %c = memref.alloc(%n) : memref<?xf32, #ws>
      memref.store %f, %c[%t] : memref<?xf32, #ws>
      gpu.return
    }
  }
  func.func @launch(%f: f32, %n: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@unknown_size blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %n : index)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

// No one knows what the cast's result is.
// SAID: as other memory of the kernel is static
// CHECK-LABEL: gpu.func @from_elsewhere
// CHECK-SAME:    workgroup(%{{.*}} : memref<16xi8
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @from_elsewhere(%f: f32, %n: i64) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      %c = builtin.unrealized_conversion_cast %n : i64 to !b
      memref.store %f, %c[%t] : !b
      gpu.return
    }
  }
  func.func @launch(%f: f32, %n: i64) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@from_elsewhere blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %n : i64)
    return
  }
}

// -----

#ws = #gpu.address_space<workgroup>
!b = memref<4xf32, #ws>

// LLVM gets a static variable for it, which has no size here.
// CHECK-LABEL: gpu.func @reduced
// CHECK-SAME:    workgroup(%{{.*}} : memref<16xi8
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @reduced(%f: f32, %out: memref<4xf32>) workgroup(%a: !b, %b: !b) kernel {
      %t = gpu.thread_id x
      memref.store %f, %a[%t] : !b
      gpu.barrier
      memref.store %f, %b[%t] : !b
      %sum = gpu.all_reduce add %f uniform {} : (f32) -> (f32)
      memref.store %sum, %out[%t] : memref<4xf32>
      gpu.return
    }
  }
  func.func @launch(%f: f32, %out: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@reduced blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%f : f32, %out : memref<4xf32>)
    return
  }
}
