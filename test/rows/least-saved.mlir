// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps take time, so streams that save less than a share of the arenas are undone.
//
// RUN: stowage-opt %s --stream-rows --remarks-filter=stream-rows 2>&1 | FileCheck %s --check-prefixes=UNDONE
// RUN: stowage-opt %s --stream-rows=least-saved=0 | FileCheck %s --check-prefix=DONE
// RUN: stowage-opt %s --stream-rows=least-saved=0.01 | FileCheck %s --check-prefix=DONE
// RUN: not stowage-opt %s --stream-rows=least-saved=-1 2>&1 | FileCheck %s --check-prefix=REFUSED
//
// UNDONE: Function=chain_and_keys | Remark="streams: 1, undone: they save 256 of 16384 bytes only"
// UNDONE-NOT: scf.for
// DONE: scf.for
// REFUSED: least-saved

func.func @chain_and_keys(%x: memref<64x64xf32>, %q: memref<8x63xf32>, %k: memref<63x64xf32>, %scores: memref<8x64xf32>)
    -> memref<64x64xf32> {
  %a = memref.alloc() : memref<64x64xf32>
  %y = memref.alloc() : memref<64x64xf32>
  linalg.exp ins(%x : memref<64x64xf32>) outs(%a : memref<64x64xf32>)
  linalg.abs ins(%a : memref<64x64xf32>) outs(%y : memref<64x64xf32>)
  %keys = memref.alloc() : memref<63x64xf32>
  linalg.exp ins(%k : memref<63x64xf32>) outs(%keys : memref<63x64xf32>)
  linalg.matmul ins(%q, %keys : memref<8x63xf32>, memref<63x64xf32>) outs(%scores : memref<8x64xf32>)
  %more = memref.alloc() : memref<63x64xf32>
  linalg.exp ins(%k : memref<63x64xf32>) outs(%more : memref<63x64xf32>)
  linalg.matmul ins(%q, %more : memref<8x63xf32>, memref<63x64xf32>) outs(%scores : memref<8x64xf32>)
  return %y : memref<64x64xf32>
}
