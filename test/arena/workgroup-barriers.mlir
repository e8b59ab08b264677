// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --remarks-filter-missed=.* 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID

// What may be a barrier, though it is not gpu.barrier: threads that come to it without the others may meet some who
// wait at a barrier of the kernel.

!f = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @m {
  // CHECK-LABEL: gpu.func @spirv_barrier
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=spirv_barrier{{.*}}some threads may reach 'spirv.ControlBarrier' without the others
  gpu.func @spirv_barrier(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @intrinsic
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=intrinsic{{.*}}some threads may reach 'llvm.call_intrinsic' without the others
  gpu.func @intrinsic(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      llvm.call_intrinsic "llvm.nvvm.barrier0"() : () -> ()
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @assembly
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=assembly{{.*}}some threads may reach 'llvm.inline_asm' without the others
  gpu.func @assembly(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @ptx
  // CHECK-NOT:     memref.view
  // SAID: divergent-barrier {{.*}}Function=ptx{{.*}}some threads may reach 'nvvm.inline_ptx' without the others
  gpu.func @ptx(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      nvvm.inline_ptx "bar.sync 0;"
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // Neither of these is one.
  // CHECK-LABEL: gpu.func @other_intrinsic
  // CHECK-COUNT-2: memref.view
  gpu.func @other_intrinsic(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      llvm.call_intrinsic "llvm.nvvm.membar.cta"() : () -> ()
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }

  // CHECK-LABEL: gpu.func @pure_assembly
  // CHECK-COUNT-2: memref.view
  gpu.func @pure_assembly(%x: f32) workgroup(%a: !f, %b: !f) kernel {
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c8 : index
    memref.store %x, %a[%t] : !f
    scf.if %low {
      %y = llvm.inline_asm "mov.u32 $0, %laneid;", "=r" : () -> i32
    }
    gpu.barrier
    memref.store %x, %b[%t] : !f
    gpu.return
  }
}
