// The layers' sums, and the result's, start as copies of one buffer of zeros, and a copy of the argument is there meanwhile. Where
// all fills become one nest, the result is written first and lives through everything.
// RUN: %python %S/../variants.py %s --no-higher-peak --fuses 10

func.func @layers(%a: memref<16x16xf32>, %b: memref<16x16xf32>) -> memref<16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %t0 = memref.alloc() : memref<16x16xf32>
  memref.copy %a, %t0 : memref<16x16xf32> to memref<16x16xf32>
  %z = memref.alloc() : memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.store %zero, %z[%i, %j] : memref<16x16xf32>
    }
  }
  %t1 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t1 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t0[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %t1[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        affine.store %q, %t1[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t2 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t2 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t1[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %t2[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        affine.store %q, %t2[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t3 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t3 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t2[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %t3[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        affine.store %q, %t3[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t4 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t4 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t3[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %t4[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        affine.store %q, %t4[%i, %j] : memref<16x16xf32>
      }
    }
  }
  %t5 = memref.alloc() : memref<16x16xf32>
  memref.copy %z, %t5 : memref<16x16xf32> to memref<16x16xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      affine.for %k = 0 to 16 {
        %x = affine.load %t4[%i, %k] : memref<16x16xf32>
        %y = affine.load %b[%k, %j] : memref<16x16xf32>
        %s = affine.load %t5[%i, %j] : memref<16x16xf32>
        %p = arith.mulf %x, %y : f32
        %q = arith.addf %s, %p : f32
        affine.store %q, %t5[%i, %j] : memref<16x16xf32>
      }
    }
  }
  return %t5 : memref<16x16xf32>
}

func.func private @printMemrefF32(memref<*xf32>)
func.func @main() {
  %f = arith.constant 0.5 : f32
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<16x16xf32>)
  linalg.fill ins(%f : f32) outs(%b : memref<16x16xf32>)
  %r = call @layers(%a, %b) : (memref<16x16xf32>, memref<16x16xf32>) -> memref<16x16xf32>
  %u = memref.cast %r : memref<16x16xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
