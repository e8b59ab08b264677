// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse=unknown-ops=use | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --merge-alloc --check-arena-plan --remarks-filter-missed=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID

// A name of an op that nobody knows tells nothing: that is what unknown-ops is for, and markers say
// where a life ends. Known ops start work by their rows.

// CHECK-LABEL: func.func @unknown(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return
// SAID-COUNT-2: unknown-op {{.*}}Function=unknown
func.func @unknown() {
  %a = memref.alloc() : memref<64xf32>
  "my.dma_begin"(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "my.device_async_copy"(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  return
}

// SAID-NOT: Function=marked
func.func @marked(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  lifetime.start %a : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  "my.dma_begin"(%a, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  "my.dma_finish"() : () -> ()
  lifetime.end %a : memref<64xf32>
  lifetime.start %b : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %b : memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

// CHECK-LABEL: func.func @known(
// CHECK-COUNT-2: memref.alloc()
// CHECK: return
// SAID: asynchronous {{.*}}Function=known
func.func @known(%y: memref<64xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  memref.dma_start %a[%c0], %y[%c0], %c64, %tag[%c0] : memref<64xf32>, memref<64xf32>, memref<1xi32>
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %b, %y : memref<64xf32> to memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  return
}

// A token stands for work.

// SAID: asynchronous {{.*}}Function=token {{.*}}'gpu.memcpy' starts work
func.func @token(%x: memref<64xf32>, %y: memref<64xf32>) -> !gpu.async.token {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t0 = gpu.wait async
  %t = gpu.memcpy async [%t0] %y, %a : memref<64xf32>, memref<64xf32>
  return %t : !gpu.async.token
}

// So does one of a device's own copies.

// SAID: asynchronous {{.*}}Function=copies {{.*}}'nvgpu.device_async_copy' starts work
gpu.module @device {
  gpu.func @copies(%x: memref<64xf32>, %y: memref<64xf32>)
      workgroup(%a: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %token = nvgpu.device_async_copy %x[%t], %a[%t], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %token
    gpu.barrier
    %v = memref.load %a[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%t] : memref<64xf32>
    gpu.return
  }
}
