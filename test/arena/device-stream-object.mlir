// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=unknown-ops=use --remarks-filter-missed=.* 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAID <%t

// A launch on a stream that is an object goes on behind its op, and nothing waits for it.

// CHECK-LABEL: func.func @on_object
// CHECK-NOT:     memref.view
// SAID: [Missed] asynchronous {{.*}}Function=on_object | Reason="'gpu.launch_func' starts work that may still use it later"
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
  func.func @on_object(%x: memref<64xf32>, %stream: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    %a = gpu.alloc () : memref<64xf32>
    gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
    %b = gpu.alloc () : memref<64xf32>
    gpu.memcpy %b, %x : memref<64xf32>, memref<64xf32>
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<64xf32>)
    return
  }
}
