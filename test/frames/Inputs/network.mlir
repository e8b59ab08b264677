// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// y = 2 * (2 * (x + x)), each step in a buffer of its own, and the sum of x beside it.
func.func private @twice(%x: memref<8x4xf32>) -> memref<8x4xf32> {
  %t = memref.alloc() : memref<8x4xf32>
  linalg.add ins(%x, %x : memref<8x4xf32>, memref<8x4xf32>) outs(%t : memref<8x4xf32>)
  %r = memref.alloc() : memref<8x4xf32>
  linalg.copy ins(%t : memref<8x4xf32>) outs(%r : memref<8x4xf32>)
  return %r : memref<8x4xf32>
}

func.func @net(%x: memref<8x4xf32>, %scale: f32) -> memref<8x4xf32> attributes {llvm.emit_c_interface} {
  %1 = call @twice(%x) : (memref<8x4xf32>) -> memref<8x4xf32>
  %2 = call @twice(%1) : (memref<8x4xf32>) -> memref<8x4xf32>
  %r = memref.alloc() {alignment = 128} : memref<8x4xf32>
  %s = memref.alloc() : memref<8x4xf32>
  linalg.fill ins(%scale : f32) outs(%s : memref<8x4xf32>)
  linalg.mul ins(%2, %s : memref<8x4xf32>, memref<8x4xf32>) outs(%r : memref<8x4xf32>)
  return %r : memref<8x4xf32>
}

func.func @sum(%x: memref<?xf32>) -> (memref<1xf32>, index, i1) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %r = memref.alloc() : memref<1xf32>
  memref.store %zero, %r[%c0] : memref<1xf32>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %r[%c0] : memref<1xf32>
    %b = memref.load %x[%i] : memref<?xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %r[%c0] : memref<1xf32>
  }
  %yes = arith.constant true
  return %r, %n, %yes : memref<1xf32>, index, i1
}
