// Per row: the sum of exponents carried, and divided by. The exponents stay in a buffer, which both use.
// RUN: %python %S/../variants.py %s --fuses 2

func.func @k(%a: memref<4x6xf32>) -> memref<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e = memref.alloc() : memref<4x6xf32>
  %s = memref.alloc() : memref<4xf32>
  %r = memref.alloc() : memref<4x6xf32>
  affine.for %i = 0 to 4 {
    affine.store %zero, %s[%i] : memref<4xf32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %a[%i, %j] : memref<4x6xf32>
      %x = arith.mulf %v, %v : f32
      affine.store %x, %e[%i, %j] : memref<4x6xf32>
      %p = affine.load %s[%i] : memref<4xf32>
      %q = arith.addf %p, %x : f32
      affine.store %q, %s[%i] : memref<4xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %e[%i, %j] : memref<4x6xf32>
      %q = affine.load %s[%i] : memref<4xf32>
      %w = arith.divf %v, %q : f32
      affine.store %w, %r[%i, %j] : memref<4x6xf32>
    }
  }
  memref.dealloc %e : memref<4x6xf32>
  memref.dealloc %s : memref<4xf32>
  return %r : memref<4x6xf32>
}

func.func private @fill_4_6(%m: memref<4x6xf32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %last = affine.for %i = 0 to 24 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    %h = arith.shrsi %z, %s : i32
    %v = arith.sitofp %h : i32 to f32
    affine.store %v, %f[%i] : memref<24xf32>
    affine.yield %z : i32
  }
  return
}

func.func private @show_4_6(%m: memref<4x6xf32>) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  affine.for %i = 0 to 24 {
    %v = affine.load %f[%i] : memref<24xf32>
    %b = arith.bitcast %v : f32 to i32
    vector.print %b : i32
  }
  return
}

func.func @main() {
  %a0 = memref.alloc() : memref<4x6xf32>
  %s0 = arith.constant 3 : i32
  call @fill_4_6(%a0, %s0) : (memref<4x6xf32>, i32) -> ()
  %r:1 = call @k(%a0) : (memref<4x6xf32>) -> (memref<4x6xf32>)
  call @show_4_6(%a0) : (memref<4x6xf32>) -> ()
  call @show_4_6(%r#0) : (memref<4x6xf32>) -> ()
  memref.dealloc %r#0 : memref<4x6xf32>
  memref.dealloc %a0 : memref<4x6xf32>
  return
}
