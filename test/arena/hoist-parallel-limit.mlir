// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="hoist-parallel hoist-parallel-limit-in-bytes=512" | FileCheck %s --check-prefix=OUT
// RUN: stowage-opt %s --merge-alloc="hoist-parallel hoist-parallel-limit-in-bytes=511" | FileCheck %s --check-prefix=IN
// RUN: stowage-opt %s --merge-alloc="hoist-parallel capacity-in-bytes=768" | FileCheck %s --check-prefix=OUT
// RUN: stowage-opt %s --merge-alloc="hoist-parallel capacity-in-bytes=511" | FileCheck %s --check-prefix=IN
// RUN: not stowage-opt %s --merge-alloc="hoist-parallel capacity-in-bytes=767" --mlir-print-ir-after-failure -o /dev/null 2>&1 | FileCheck %s --check-prefix=BACK

// The limit, and the capacity where it is less, say how large the slices of all iterations may be.

// OUT: memref.alloc() {{.*}} : memref<768xi8>
// OUT-NOT: memref.alloc
// IN: scf.parallel
// IN: memref.alloc() {{.*}} : memref<64xi8>

// Where the region around has no room for the slices, nothing is rewritten.

// BACK: error: buffers live at one time need 768 bytes, but capacity-in-bytes is 767; nothing was rewritten
// BACK: func.func @limit
// BACK: scf.parallel (%arg1)
// BACK-NEXT: memref.alloc() : memref<16xf32>
func.func @limit(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %keep = memref.alloc() : memref<64xf32>
  memref.store %x, %keep[%c0] : memref<64xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %a = memref.alloc() : memref<16xf32>
    %v = memref.load %keep[%c0] : memref<64xf32>
    memref.store %v, %a[%c0] : memref<16xf32>
    scf.reduce
  }
  return
}
