// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each branch frees the buffers by ops that wait for tokens: all three lie in one arena, which each
// branch frees.

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s

// CHECK-LABEL: func.func @frees_in_branches
// CHECK: gpu.alloc async {{.*}} () : memref<3072xi8, 1>
// CHECK-NOT: gpu.alloc
// CHECK: cf.cond_br
// CHECK-COUNT-2: gpu.dealloc async {{.*}} : memref<3072xi8, 1>
// CHECK-NOT: gpu.dealloc
func.func @frees_in_branches(%x: memref<256xf32>, %y: memref<256xf32>, %c: i1) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<256xf32, 1>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<256xf32, 1>, memref<256xf32>
  %t3 = gpu.memcpy async [%t2] %y, %a : memref<256xf32>, memref<256xf32, 1>
  %b, %t5 = gpu.alloc async [%t3] () : memref<256xf32, 1>
  %t6 = gpu.memcpy async [%t5] %b, %x : memref<256xf32, 1>, memref<256xf32>
  %t7 = gpu.memcpy async [%t6] %y, %b : memref<256xf32>, memref<256xf32, 1>
  %d, %t17 = gpu.alloc async [%t7] () : memref<256xf32, 1>
  %t8 = gpu.memcpy async [%t17] %d, %x : memref<256xf32, 1>, memref<256xf32>
  %t9 = gpu.memcpy async [%t8] %y, %d : memref<256xf32>, memref<256xf32, 1>
  %t10 = gpu.dealloc async [%t9] %d : memref<256xf32, 1>
  cf.cond_br %c, ^l, ^r
^l:
  %t20 = gpu.dealloc async [%t10] %b : memref<256xf32, 1>
  %t21 = gpu.dealloc async [%t20] %a : memref<256xf32, 1>
  gpu.wait [%t21]
  return
^r:
  %t30 = gpu.dealloc async [%t10] %b : memref<256xf32, 1>
  %t31 = gpu.dealloc async [%t30] %a : memref<256xf32, 1>
  gpu.wait [%t31]
  return
}
