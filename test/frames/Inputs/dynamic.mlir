// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// out = 3 * x, computed in a buffer of its own.
func.func private @thrice(%x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.alloc(%n) : memref<?xf32>
  linalg.add ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%t : memref<?xf32>)
  linalg.add ins(%t, %x : memref<?xf32>, memref<?xf32>) outs(%out : memref<?xf32>)
  return
}

// x = 9 * x and y = 9 * y, each by two calls, and `scale` of y's elements, held in memory to the end, added to y's first.
func.func @net(%x: memref<?xf32> {stowage.dims = [{name = "n"}]}, %y: memref<?xf32> {stowage.dims = [{name = "m"}]},
               %k: index {stowage.dims = [{name = "k"}]}, %scale: f32) attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %s = memref.alloc(%k) : memref<?xf32>
  linalg.fill ins(%scale : f32) outs(%s : memref<?xf32>)
  %a = memref.alloc(%n) : memref<?xf32>
  call @thrice(%x, %a) : (memref<?xf32>, memref<?xf32>) -> ()
  call @thrice(%a, %x) : (memref<?xf32>, memref<?xf32>) -> ()
  %b = memref.alloc(%m) : memref<?xf32>
  call @thrice(%y, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  call @thrice(%b, %y) : (memref<?xf32>, memref<?xf32>) -> ()
  %one = arith.constant 1 : index
  %none = arith.cmpi eq, %m, %c0 : index
  %limit = arith.select %none, %c0, %k : index
  scf.for %i = %c0 to %limit step %one {
    %v = memref.load %s[%i] : memref<?xf32>
    %w = memref.load %y[%c0] : memref<?xf32>
    %z = arith.addf %v, %w : f32
    memref.store %z, %y[%c0] : memref<?xf32>
  }
  return
}
