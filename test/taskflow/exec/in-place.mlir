// Differences take the place of a product, and a sum runs over the outermost loop, so that a column of a factor is enough.
// RUN: %python %S/../variants.py %s --fuses 8 --noalias

func.func @k(%a: memref<4x3xi32>, %wq: memref<3x8xi32>, %wk: memref<3x8xi32>, %wv: memref<3x8xi32>, %o: memref<4x8xi32>) {
  %zero = arith.constant 0 : i32
  %q = memref.alloc() : memref<4x8xi32>
  %k = memref.alloc() : memref<4x8xi32>
  %v = memref.alloc() : memref<4x8xi32>
  %s = memref.alloc() : memref<4x4xi32>
  %e = memref.alloc() : memref<4x4xi32>
  %m = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %q[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wq[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %q[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %q[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %k[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wk[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %k[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %k[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %v[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wv[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %v[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %v[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %zero, %s[%i, %j] : memref<4x4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.for %c = 0 to 8 {
        %x = affine.load %q[%i, %c] : memref<4x8xi32>
        %y = affine.load %k[%j, %c] : memref<4x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %s[%i, %j] : memref<4x4xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %s[%i, %j] : memref<4x4xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.store %zero, %m[%i] : memref<4xi32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %s[%i, %j] : memref<4x4xi32>
      %s0 = affine.load %m[%i] : memref<4xi32>
      %s1 = arith.maxsi %s0, %x : i32
      affine.store %s1, %m[%i] : memref<4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %s[%i, %j] : memref<4x4xi32>
      %z = affine.load %m[%i] : memref<4xi32>
      %y = arith.subi %x, %z : i32
      affine.store %y, %e[%i, %j] : memref<4x4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %o[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 4 {
        %x = affine.load %e[%i, %c] : memref<4x4xi32>
        %y = affine.load %v[%c, %j] : memref<4x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %o[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %o[%i, %j] : memref<4x8xi32>
      }
    }
  }
  memref.dealloc %q : memref<4x8xi32>
  memref.dealloc %k : memref<4x8xi32>
  memref.dealloc %v : memref<4x8xi32>
  memref.dealloc %s : memref<4x4xi32>
  memref.dealloc %e : memref<4x4xi32>
  memref.dealloc %m : memref<4xi32>
  return
}

func.func private @fill_4_3(%m: memref<4x3xi32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<4x3xi32> into memref<12xi32>
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %last = affine.for %i = 0 to 12 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    affine.store %z, %f[%i] : memref<12xi32>
    affine.yield %z : i32
  }
  return
}

func.func private @fill_3_8(%m: memref<3x8xi32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<3x8xi32> into memref<24xi32>
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %last = affine.for %i = 0 to 24 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    affine.store %z, %f[%i] : memref<24xi32>
    affine.yield %z : i32
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<4x3xi32>
  %wq = memref.alloc() : memref<3x8xi32>
  %wk = memref.alloc() : memref<3x8xi32>
  %wv = memref.alloc() : memref<3x8xi32>
  %o = memref.alloc() : memref<4x8xi32>
  %s0 = arith.constant 3 : i32
  call @fill_4_3(%a, %s0) : (memref<4x3xi32>, i32) -> ()
  %s1 = arith.constant 7 : i32
  call @fill_3_8(%wq, %s1) : (memref<3x8xi32>, i32) -> ()
  %s2 = arith.constant 11 : i32
  call @fill_3_8(%wk, %s2) : (memref<3x8xi32>, i32) -> ()
  %s3 = arith.constant 15 : i32
  call @fill_3_8(%wv, %s3) : (memref<3x8xi32>, i32) -> ()
  call @k(%a, %wq, %wk, %wv, %o) : (memref<4x3xi32>, memref<3x8xi32>, memref<3x8xi32>, memref<3x8xi32>, memref<4x8xi32>) -> ()
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      %v = affine.load %o[%i, %j] : memref<4x8xi32>
      vector.print %v : i32
    }
  }
  memref.dealloc %a : memref<4x3xi32>
  memref.dealloc %wq : memref<3x8xi32>
  memref.dealloc %wk : memref<3x8xi32>
  memref.dealloc %wv : memref<3x8xi32>
  memref.dealloc %o : memref<4x8xi32>
  return
}
