// All rows of the buffer between are one: fusing would hand on a value that a later row overwrites.
// RUN: %python %S/../variants.py %s --fuses 0

func.func @k(%t: memref<4x8xf32, strided<[0, 1]>>) -> memref<4x8xf32> {
  %r = memref.alloc() : memref<4x8xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %x = arith.index_cast %i : index to i32
      %v = arith.sitofp %x : i32 to f32
      affine.store %v, %t[%i, %j] : memref<4x8xf32, strided<[0, 1]>>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %v = affine.load %t[%i, %j] : memref<4x8xf32, strided<[0, 1]>>
      affine.store %v, %r[%i, %j] : memref<4x8xf32>
    }
  }
  return %r : memref<4x8xf32>
}

func.func @main() {
  %row = memref.alloc() : memref<8xf32>
  %t = memref.reinterpret_cast %row to offset: [0], sizes: [4, 8], strides: [0, 1] : memref<8xf32> to memref<4x8xf32, strided<[0, 1]>>
  %r = call @k(%t) : (memref<4x8xf32, strided<[0, 1]>>) -> memref<4x8xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %v = affine.load %r[%i, %j] : memref<4x8xf32>
      %b = arith.bitcast %v : f32 to i32
      vector.print %b : i32
    }
  }
  memref.dealloc %r : memref<4x8xf32>
  memref.dealloc %row : memref<8xf32>
  return
}
