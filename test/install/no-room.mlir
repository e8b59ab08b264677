// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Five buffers of a bank each, alive together: the scheduler gives up, and so does the pass.

// CHECK: error: merge-alloc: the scheduler has no place for the buffers of this scope; nothing was rewritten

func.func @f(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1024xf32>
  %b = memref.alloc() : memref<1024xf32>
  %c = memref.alloc() : memref<1024xf32>
  %d = memref.alloc() : memref<1024xf32>
  %e = memref.alloc() : memref<1024xf32>
  memref.store %x, %a[%c0] : memref<1024xf32>
  memref.store %x, %b[%c0] : memref<1024xf32>
  memref.store %x, %c[%c0] : memref<1024xf32>
  memref.store %x, %d[%c0] : memref<1024xf32>
  memref.store %x, %e[%c0] : memref<1024xf32>
  %va = memref.load %a[%c0] : memref<1024xf32>
  %vb = memref.load %b[%c0] : memref<1024xf32>
  %vc = memref.load %c[%c0] : memref<1024xf32>
  %vd = memref.load %d[%c0] : memref<1024xf32>
  %ve = memref.load %e[%c0] : memref<1024xf32>
  return
}
