// Row sums of a matrix, scaled and transposed: four loop nests, three buffers between them. See docs/taskflow.md.
func.func @scaled_sums(%a: memref<64x32xf32>, %scale: f32) -> memref<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.store %zero, %sum[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 32 {
      %x = affine.load %a[%i, %j] : memref<64x32xf32>
      %s = affine.load %sum[%i] : memref<64xf32>
      %t = arith.addf %s, %x : f32
      affine.store %t, %sum[%i] : memref<64xf32>
    }
  }
  %scaled = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %x = affine.load %sum[%i] : memref<64xf32>
    %y = arith.mulf %x, %scale : f32
    affine.store %y, %scaled[%i] : memref<64xf32>
  }
  %row = memref.alloc() : memref<1x64xf32>
  affine.for %k = 0 to 1 {
    affine.for %i = 0 to 64 {
      %x = affine.load %scaled[%i] : memref<64xf32>
      affine.store %x, %row[%k, %i] : memref<1x64xf32>
    }
  }
  memref.dealloc %sum : memref<64xf32>
  memref.dealloc %scaled : memref<64xf32>
  return %row : memref<1x64xf32>
}
