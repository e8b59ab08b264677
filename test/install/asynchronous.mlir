// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An op of examples/dialect that starts work: what it uses is in use until that is waited for.

// PLAN-LABEL: func @one_after_the_other
// PLAN:         memref.alloc() {{.*}} : memref<32xi8>
// PLAN-NOT:     memref.alloc
// PLAN:         return
// FREE-LABEL: func @one_after_the_other
// FREE:         %[[A:.*]] = memref.alloc
// FREE:         gpu.wait [
// FREE-NEXT:    memref.dealloc %[[A]]
// FREE:         %[[B:.*]] = memref.alloc
// FREE:         "downstream.transfer"(%{{.*}}, %[[B]],
// FREE-NEXT:    memref.dealloc %[[B]]
func.func @one_after_the_other(%x: memref<8xf32>, %q: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %t0 = gpu.wait async
  %t1 = "downstream.transfer"(%t0, %x, %a) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  %t2 = "downstream.transfer"(%t1, %a, %q) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  gpu.wait [%t2]
  %b = memref.alloc() : memref<8xf32>
  %t3 = "downstream.transfer"(%x, %b) : (memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  "downstream.transfer"(%t3, %b, %q) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> ()
  return
}

// The first one is waited for when both are there.
// PLAN-LABEL: func @at_once
// PLAN:         memref.alloc() {{.*}} : memref<96xi8>
func.func @at_once(%x: memref<8xf32>, %q: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %t1 = "downstream.transfer"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  memref.copy %x, %b : memref<8xf32> to memref<8xf32>
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  gpu.wait [%t1]
  memref.copy %a, %q : memref<8xf32> to memref<8xf32>
  return
}

// Nothing waits for it.
// PLAN-LABEL: func @never
// PLAN:         memref.alloc() : memref<8xf32>
func.func @never(%x: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %t = "downstream.transfer"(%x, %a) : (memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  return
}

// In one stream on a device they share bytes without a wait of the host.
// PLAN-LABEL: func @stream
// PLAN:         gpu.alloc async {{.*}} : memref<32xi8>
// PLAN-NOT:     gpu.alloc
// PLAN:         return
func.func @stream(%x: memref<8xf32>, %q: memref<8xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<8xf32>
  %t2 = "downstream.transfer"(%t1, %x, %a) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  %t3 = "downstream.transfer"(%t2, %a, %q) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  %t4 = gpu.dealloc async [%t3] %a : memref<8xf32>
  %b, %t5 = gpu.alloc async [%t4] () : memref<8xf32>
  %t6 = "downstream.transfer"(%t5, %x, %b) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  %t7 = "downstream.transfer"(%t6, %b, %q) : (!gpu.async.token, memref<8xf32>, memref<8xf32>) -> !gpu.async.token
  %t8 = gpu.dealloc async [%t7] %b : memref<8xf32>
  gpu.wait [%t8]
  return
}
