// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Given to examples/plug-in: buffers go to the four banks in turn, a life begins one op earlier, and
// what is larger than a bank is left alone.

// CHECK: %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16384xi8>
// CHECK: %[[BANK0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[POOL]][%[[BANK0]]][]
// CHECK: %[[BANK1:.*]] = arith.constant 4096 : index
// CHECK: %[[BANK2:.*]] = arith.constant 8192 : index
// CHECK: memref.view %[[POOL]][%[[BANK1]]][]
// CHECK: memref.alloc() : memref<4096xf32>
// CHECK: memref.view %[[POOL]][%[[BANK2]]][]
// CHECK: memref.dealloc %[[POOL]]
func.func @f(%x: memref<256xf32>, %out: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  %big = memref.alloc() : memref<4096xf32>
  memref.copy %x, %a : memref<256xf32> to memref<256xf32>
  linalg.add ins(%a, %x : memref<256xf32>, memref<256xf32>) outs(%b : memref<256xf32>)
  linalg.add ins(%a, %b : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  %c = memref.alloc() : memref<256xf32>
  memref.copy %x, %c : memref<256xf32> to memref<256xf32>
  linalg.add ins(%c, %x : memref<256xf32>, memref<256xf32>) outs(%out : memref<256xf32>)
  %v = arith.constant 0.0 : f32
  linalg.fill ins(%v : f32) outs(%big : memref<4096xf32>)
  return
}
