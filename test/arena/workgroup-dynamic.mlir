// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory --remarks-filter=merge-alloc 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory 2>/dev/null | mlir-opt --split-input-file --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=PTX
// RUN: stowage-opt %s --split-input-file --merge-alloc 2>/dev/null | mlir-opt --split-input-file --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_80},gpu.module(convert-gpu-to-nvvm,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=STATIC
// RUN: stowage-opt %s --split-input-file --merge-alloc=dynamic-workgroup-memory 2>/dev/null | mlir-opt --split-input-file --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx90a},gpu.module(convert-gpu-to-rocdl,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=AMD
// RUN: stowage-opt %s --split-input-file --merge-alloc 2>/dev/null | mlir-opt --split-input-file --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx90a},gpu.module(convert-gpu-to-rocdl,reconcile-unrealized-casts),gpu-module-to-binary{format=isa})' | FileCheck %s --check-prefix=LDS

// The merged memory of a kernel is asked for by its launches.

#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>

// SAID: 2 workgroup buffers of 512 bytes put into 256 bytes of dynamic shared memory
// CHECK-LABEL: gpu.func @two
// CHECK-NOT:     workgroup(
// CHECK:         %[[BYTES:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-COUNT-2: memref.view %[[BYTES]]
// CHECK:         gpu.return
// CHECK-LABEL: func.func @launches
// CHECK:         gpu.launch_func  @m::@two blocks in ({{.*}}) threads in ({{.*}}) dynamic_shared_memory_size %{{.*}} args(
// CHECK:         %[[SIZE:.*]] = arith.constant 256 : i32
// CHECK:         gpu.launch_func async [%{{.*}}] @m::@two {{.*}} dynamic_shared_memory_size %[[SIZE]] args(
// Compiled, it is the memory of the launch, or that of the kernel.
// PTX: .shared .align 16 .b8 __dynamic_shmem__0;
// STATIC: .shared .align 16 .b8 {{[^[]*}}[256]
// AMD: amdhsa_group_segment_fixed_size 0
// LDS: amdhsa_group_segment_fixed_size 256
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @two(%x: f32, %out: memref<64xf32>) workgroup(%a: !f, %b: !f) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %u = arith.subi %c63, %t : index
      memref.store %x, %a[%t] : !f
      gpu.barrier
      %v = memref.load %a[%u] : !f
      gpu.barrier
      memref.store %v, %b[%t] : !f
      gpu.barrier
      %w = memref.load %b[%u] : !f
      memref.store %w, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
  func.func @launches(%x: f32, %out: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32, %out : memref<64xf32>)
    %t = gpu.wait async
    %u = gpu.launch_func async [%t] @m::@two blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32, %out : memref<64xf32>)
    gpu.wait [%u]
    return
  }
}

// -----

// A gpu.launch needs no padding for alignment then.
// SAID: 2 workgroup buffers of 512 bytes put into 256 bytes of dynamic shared memory
// CHECK-LABEL: func.func @launched
// CHECK:         %[[SIZE:.*]] = arith.constant 256 : i32
// CHECK:         gpu.launch {{.*}} dynamic_shared_memory_size %[[SIZE]]
// CHECK-NOT:     workgroup(
// CHECK:         %[[BYTES:.*]] = gpu.dynamic_shared_memory
// CHECK-COUNT-2: memref.view %[[BYTES]]
// CHECK:         gpu.terminator
#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>
func.func @launched(%x: f32) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1) workgroup(%a : !f, %b : !f) {
    memref.store %x, %a[%t] : !f
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.terminator
  }
  return
}

// -----

// Each of these stays an attribution.
// SAID-DAG: of an attribution, as no gpu.launch_func of the kernel is in the module
// SAID-DAG: of an attribution, as a launch states a size already, or another op mentions the kernel
// SAID-DAG: of an attribution, as dynamic shared memory is aligned to 16 bytes only
// SAID-DAG: of an attribution, as other memory of the kernel is static
// SAID-DAG: of an attribution, as it is not in #gpu.address_space<workgroup>
// CHECK-LABEL: gpu.func @not_launched
// CHECK-SAME:    workgroup(
// CHECK-LABEL: gpu.func @states_a_size
// CHECK-SAME:    workgroup(
// CHECK-LABEL: gpu.func @aligned
// CHECK-SAME:    workgroup(
// CHECK-LABEL: gpu.func @by_number
// CHECK-SAME:    workgroup(
// CHECK-LABEL: gpu.func @left_alone
// CHECK-SAME:    workgroup(
#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>
!n = memref<64xf32, 3>
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @not_launched(%x: f32) workgroup(%a: !f, %b: !f) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %x, %b[%t] : !f
      gpu.return
    }
    gpu.func @states_a_size(%x: f32) workgroup(%a: !f, %b: !f) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %x, %b[%t] : !f
      gpu.return
    }
    gpu.func @aligned(%x: f32) workgroup(%a: !f {llvm.align = 64 : i64}, %b: !f) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %x, %b[%t] : !f
      gpu.return
    }
    gpu.func @by_number(%x: f32) workgroup(%a: !n, %b: !n) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : !n
      gpu.barrier
      memref.store %x, %b[%t] : !n
      gpu.return
    }
    gpu.func @left_alone(%x: f32) workgroup(%a: !f, %b: !f, %c: !f {llvm.noalias}) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %x, %b[%t] : !f
      memref.store %x, %c[%t] : !f
      gpu.return
    }
  }
  func.func @launches_them(%x: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %size = arith.constant 64 : i32
    gpu.launch_func @m::@states_a_size blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        dynamic_shared_memory_size %size args(%x : f32)
    gpu.launch_func @m::@left_alone blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32)
    gpu.launch_func @m::@aligned blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32)
    gpu.launch_func @m::@by_number blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : f32)
    return
  }
}
