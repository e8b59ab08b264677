// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan --remarks-filter=merge-alloc 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t

// Shared memory has 32 banks of 4 bytes that take turns. Tiles that one op uses, or what is read of
// them, begin in different banks where that costs no bytes.

!large = memref<1024xf32, #gpu.address_space<workgroup>>
!tile = memref<256xf32, #gpu.address_space<workgroup>>
!half = memref<512xf32, #gpu.address_space<workgroup>>

// REMARK: workgroup {{.*}}Function=loads{{.*}}put into 4096 bytes; pairs in different banks: 1 of 1
// CHECK-LABEL: gpu.func @loads
// CHECK:         %[[C0:.*]] = arith.constant 0 : index
// CHECK:         %[[C1040:.*]] = arith.constant 1040 : index
gpu.module @m {
  gpu.func @loads(%x: f32, %o: memref<256xf32>) workgroup(%large : !large, %a : !tile, %b : !tile) kernel {
    %t = gpu.thread_id x
    memref.store %x, %large[%t] : !large
    gpu.barrier
    memref.store %x, %a[%t] : !tile
    memref.store %x, %b[%t] : !tile
    %u = memref.load %a[%t] : !tile
    %v = memref.load %b[%t] : !tile
    %w = arith.addf %u, %v : f32
    memref.store %w, %o[%t] : memref<256xf32>
    gpu.return
  }

// REMARK: workgroup {{.*}}Function=one_op{{.*}}put into 4096 bytes; pairs in different banks: 1 of 1
  gpu.func @one_op(%x: f32, %o: memref<256xf32>) workgroup(%large : !large, %a : !tile, %b : !tile) kernel {
    %t = gpu.thread_id x
    memref.store %x, %large[%t] : !large
    gpu.barrier
    memref.store %x, %a[%t] : !tile
    linalg.exp ins(%a : !tile) outs(%b : !tile)
    gpu.return
  }

// The two halves of the large one have no choice.
// REMARK: workgroup {{.*}}Function=full{{.*}}put into 4096 bytes; pairs in different banks: 0 of 1
  gpu.func @full(%x: f32, %o: memref<256xf32>) workgroup(%large : !large, %a : !half, %b : !half) kernel {
    %t = gpu.thread_id x
    memref.store %x, %large[%t] : !large
    gpu.barrier
    memref.store %x, %a[%t] : !half
    memref.store %x, %b[%t] : !half
    %u = memref.load %a[%t] : !half
    %v = memref.load %b[%t] : !half
    %w = arith.addf %u, %v : f32
    memref.store %w, %o[%t] : memref<256xf32>
    gpu.return
  }

// Each is read by itself.
// REMARK: workgroup {{.*}}Function=apart{{.*}}put into 4096 bytes"
  gpu.func @apart(%x: f32, %o: memref<256xf32>) workgroup(%large : !large, %a : !tile, %b : !tile) kernel {
    %t = gpu.thread_id x
    memref.store %x, %large[%t] : !large
    gpu.barrier
    memref.store %x, %a[%t] : !tile
    memref.store %x, %b[%t] : !tile
    %u = memref.load %a[%t] : !tile
    memref.store %u, %o[%t] : memref<256xf32>
    %v = memref.load %b[%t] : !tile
    memref.store %v, %o[%t] : memref<256xf32>
    gpu.return
  }
}
