// A vertical mean of three rows after a horizontal one: of the 20 rows between them, three are needed at a time.
func.func @blur(%in: memref<20x20xf32>, %out: memref<18x18xf32> {llvm.noalias}) {
  %third = arith.constant 0.333333343 : f32
  %rows = memref.alloc() : memref<20x18xf32>
  affine.for %y = 0 to 20 {
    affine.for %x = 0 to 18 {
      %0 = affine.load %in[%y, %x] : memref<20x20xf32>
      %1 = affine.load %in[%y, %x + 1] : memref<20x20xf32>
      %2 = affine.load %in[%y, %x + 2] : memref<20x20xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      %5 = arith.mulf %4, %third : f32
      affine.store %5, %rows[%y, %x] : memref<20x18xf32>
    }
  }
  affine.for %y = 0 to 18 {
    affine.for %x = 0 to 18 {
      %0 = affine.load %rows[%y, %x] : memref<20x18xf32>
      %1 = affine.load %rows[%y + 1, %x] : memref<20x18xf32>
      %2 = affine.load %rows[%y + 2, %x] : memref<20x18xf32>
      %3 = arith.addf %0, %1 : f32
      %4 = arith.addf %3, %2 : f32
      %5 = arith.mulf %4, %third : f32
      affine.store %5, %out[%y, %x] : memref<18x18xf32>
    }
  }
  memref.dealloc %rows : memref<20x18xf32>
  return
}
