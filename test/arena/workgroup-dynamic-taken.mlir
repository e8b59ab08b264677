// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=dynamic-workgroup-memory --remarks-filter=merge-alloc -o %t.out 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.out
// RUN: not stowage-opt %s --check-arena-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG

// A kernel has dynamic memory of its own. The program itself has other memory beside it.

#ws = #gpu.address_space<workgroup>
!f = memref<64xf32, #ws>

// SAID: of an attribution, as a gpu.dynamic_shared_memory has it already
// CHECK-LABEL: gpu.func @has_its_own
// CHECK-SAME:    workgroup(
// WRONG: [[@LINE+6]]:12: error: may lie at the same bytes as static workgroup memory
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @has_its_own(%x: f32) workgroup(%a: !f, %b: !f) kernel {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %s = gpu.dynamic_shared_memory : memref<?xi8, #ws>
      %v = memref.view %s[%c0][] : memref<?xi8, #ws> to !f
      memref.store %x, %v[%t] : !f
      memref.store %x, %a[%t] : !f
      gpu.barrier
      memref.store %x, %b[%t] : !f
      gpu.return
    }
  }
  func.func @launches(%x: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 256 : i32
    gpu.launch_func @m::@has_its_own blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
      dynamic_shared_memory_size %bytes args(%x : f32)
    return
  }
}
