// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="pool-all" | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="analysis pool-all annotate report=none" | FileCheck %s --check-prefix=LIFE

// Threads of a kernel run at once: no arena of the host is theirs, and none is made for all.

// CHECK-LABEL: func @launch
// LIFE-LABEL: func @launch
func.func @launch(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  // CHECK: gpu.launch
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    // CHECK-NOT: memref.view %alloc[
    // CHECK: gpu.terminator
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    gpu.terminator
  }
  return
}

// A kernel uses what it captures, as long as it runs: until its token is waited for.

// LIFE-LABEL: func @captured
func.func @captured(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // LIFE: memref.alloc() {stowage.life = array<i64: 3, 13>, stowage.offset = 64 : i64} : memref<8xf32>
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %t0 = gpu.wait async
  %t1 = gpu.launch async [%t0] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %a[%c1] : memref<8xf32>
    gpu.terminator
  }
  // LIFE: memref.alloc() {stowage.life = array<i64: 10, 12>, stowage.offset = 0 : i64} : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  %v = memref.load %b[%c0] : memref<16xf32>
  gpu.wait [%t1]
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// A kernel's function is a scope of its own. It ends in gpu.return.

// CHECK-LABEL: gpu.func @kernel
gpu.module @kernels {
  gpu.func @kernel(%x: f32) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    memref.store %x, %b[%c0] : memref<8xf32>
    memref.dealloc %b : memref<8xf32>
    // CHECK: gpu.return
    gpu.return
  }
}

// Nothing touches what gpu.alloc makes.

// CHECK-LABEL: func @gpu_alloc
func.func @gpu_alloc() {
  // CHECK: gpu.alloc
  %a = gpu.alloc () : memref<8xf32>
  gpu.dealloc %a : memref<8xf32>
  return
}

// ... and a memref.alloc that gpu.dealloc frees is not ours either.

// LIFE-LABEL: func @gpu_dealloc
func.func @gpu_dealloc(%x: f32) {
  %c0 = arith.constant 0 : index
  // LIFE: left_alone = "shared-dealloc"
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  gpu.dealloc %a : memref<8xf32>
  return
}
