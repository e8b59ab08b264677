// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What writes an argument may pass what reads another one where nothing else reaches its memory.

// RUN: stowage-opt %s --order-for-memory --remarks-filter=order-for-memory -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --order-for-memory=assume-noalias-arguments --remarks-filter=order-for-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL

// CHECK: Function=may {{.*}}512 bytes alive at the worst moment of the block as before
// CHECK: Function=promised {{.*}}256 bytes alive at the worst moment of the block, not 512
// ALL: Function=may {{.*}}256 bytes alive at the worst moment of the block, not 512
func.func @may(%x: memref<64xf32>, %y: memref<f32>, %z: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%z : memref<f32>) dimensions = [0]
  return
}

func.func @promised(%x: memref<64xf32>, %y: memref<f32> {llvm.noalias}, %z: memref<f32> {llvm.noalias}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%z : memref<f32>) dimensions = [0]
  return
}
