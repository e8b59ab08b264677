// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="pool-all poison" -o /dev/null

// What runs beside the program uses its buffers until it is waited for.

// CHECK-LABEL: func @execute
func.func @execute(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %token = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  async.await %token : !async.token
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// Nothing waits: it may be used at any later time.

// CHECK-LABEL: func @never_awaited
func.func @never_awaited(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone = "asynchronous"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %token = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  memref.dealloc %a : memref<8xf32>
  return
}

// CHECK-LABEL: func @awaited_through_another
func.func @awaited_through_another(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %first = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %second = async.execute [%first] {
    async.yield
  }
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  async.await %second : !async.token
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A buffer of the region and one of the code beside it may be alive at the same time.

// CHECK-LABEL: func @alloc_inside
func.func @alloc_inside(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %token = async.execute {
    // CHECK: {{offset|left_alone}}
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    async.yield
  }
  // CHECK: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  async.await %token : !async.token
  return
}

// So may buffers of two regions.

// CHECK-LABEL: func @two_regions
func.func @two_regions(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-NOT: offset = 0
  %t0 = async.execute {
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    async.yield
  }
  %t1 = async.execute {
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    async.yield
  }
  async.await %t0 : !async.token
  async.await %t1 : !async.token
  return
}

// The value that is awaited is the buffer.

// CHECK-LABEL: func @returns_value
func.func @returns_value(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %token, %value = async.execute -> !async.value<memref<8xf32>> {
    async.yield %a : memref<8xf32>
  }
  %r = async.await %value : !async.value<memref<8xf32>>
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %r[%c0] : memref<8xf32>
  %w = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @gpu_memcpy
func.func @gpu_memcpy(%x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %q, %a : memref<8xf32>, memref<8xf32>
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  gpu.wait [%t1]
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A transfer uses both sides until dma_wait.

// CHECK-LABEL: func @dma
func.func @dma(%x: f32, %q: memref<8xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  %tag = memref.alloca() : memref<1xi32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dma_start %a[%c0], %q[%c0], %c8, %tag[%c0] : memref<8xf32>, memref<8xf32, 1>, memref<1xi32>
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  memref.dma_wait %tag[%c0], %c8 : memref<1xi32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// CHECK-LABEL: func @affine_dma
func.func @affine_dma(%x: f32, %q: memref<8xf32, 1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  %tag = memref.alloca() : memref<1xi32>
  affine.store %x, %a[0] : memref<8xf32>
  affine.dma_start %a[0], %q[0], %tag[0], %c8 : memref<8xf32>, memref<8xf32, 1>, memref<1xi32>
  // CHECK: left_alone
  %b = memref.alloc() : memref<8xf32>
  affine.store %x, %b[0] : memref<8xf32>
  %v = affine.load %b[0] : memref<8xf32>
  affine.dma_wait %tag[0], %c8 : memref<1xi32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// A prefetch is a use and nothing more.

// CHECK-LABEL: func @prefetch_and_fence
func.func @prefetch_and_fence(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.prefetch %a[%c0], read, locality<3>, data : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// What is awaited is free from there on.

// CHECK-LABEL: func @free_after_await
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 64
// CHECK:         stowage.offset = 0
func.func @free_after_await(%x: f32, %q: memref<8xf32>, %r: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %token = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  memref.copy %b, %r : memref<8xf32> to memref<8xf32>
  async.await %token : !async.token
  %c = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32>)
  memref.copy %c, %r : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %c : memref<8xf32>
  return
}

// The same on a GPU's stream: one token waits for another.

// CHECK-LABEL: func @free_after_gpu_wait
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 64
// CHECK:         stowage.offset = 0
func.func @free_after_gpu_wait(%x: f32, %q: memref<8xf32>, %r: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %q : memref<8xf32>, memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  memref.copy %b, %r : memref<8xf32> to memref<8xf32>
  %t2 = gpu.wait async [%t1]
  gpu.wait [%t2]
  %c = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32>)
  memref.copy %c, %r : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %c : memref<8xf32>
  return
}

// Awaited, but in another block, where it is the last of several.

// CHECK-LABEL: func @awaits_the_last
// CHECK:         left_alone = "asynchronous"
func.func @awaits_the_last(%n: index, %x: f32, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  cf.br ^head(%c0 : index)
^head(%i: index):
  %token = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %j, %n : index
  cf.cond_br %more, ^head(%j : index), ^exit
^exit:
  async.await %token : !async.token
  memref.dealloc %a : memref<8xf32>
  return
}
