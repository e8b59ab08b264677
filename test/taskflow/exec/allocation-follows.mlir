// Sums move down to the one who reads them, and the buffer of their results is allocated there, too: the heap would hold it for
// longer than it is alive.
// RUN: %python %S/../variants.py %s --no-higher-peak --fuses 3

func.func @k(%a: memref<16x16xf32>, %b: memref<16x16xf32>) -> (memref<16x16xf32>, memref<16x16xf32>) {
  %t0 = memref.alloc() : memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %x = affine.load %a[%i, %j] : memref<16x16xf32>
      %y = affine.load %a[%j, %i] : memref<16x16xf32>
      %s = arith.addf %x, %y : f32
      affine.store %s, %t0[%i, %j] : memref<16x16xf32>
    }
  }
  %t1 = memref.alloc() : memref<16x16xf32>
  memref.copy %t0, %t1 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t0[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %z = affine.load %t1[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %z, %p : f32
        affine.store %s, %t1[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t2 = memref.alloc() : memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %x = affine.load %t1[%i, %j] : memref<16x16xf32>
      %y = affine.load %t0[%i, %j] : memref<16x16xf32>
      %s = arith.addf %x, %y : f32
      affine.store %s, %t2[%i, %j] : memref<16x16xf32>
    }
  }
  %t3 = memref.alloc() : memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %x = affine.load %t2[%i, %j] : memref<16x16xf32>
      %y = affine.load %t1[%j, %i] : memref<16x16xf32>
      %s = arith.addf %x, %y : f32
      affine.store %s, %t3[%i, %j] : memref<16x16xf32>
    }
  }
  return %t3, %t2 : memref<16x16xf32>, memref<16x16xf32>
}

func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %f = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<16x16xf32>)
  linalg.fill ins(%f : f32) outs(%b : memref<16x16xf32>)
  %r:2 = call @k(%a, %b) : (memref<16x16xf32>, memref<16x16xf32>) -> (memref<16x16xf32>, memref<16x16xf32>)
  %u = memref.cast %r#0 : memref<16x16xf32> to memref<*xf32>
  %v = memref.cast %r#1 : memref<16x16xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  call @printMemrefF32(%v) : (memref<*xf32>) -> ()
  return
}
