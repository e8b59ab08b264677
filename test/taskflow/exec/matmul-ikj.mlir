// A product with the summed index in the middle: its loops change places, its sums keep their order.
// RUN: %python %S/../variants.py %s --fuses 2

func.func @k(%a: memref<4x6xf32>, %b: memref<6x5xf32>) -> memref<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<4x5xf32>
  %r = memref.alloc() : memref<4x5xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      affine.store %zero, %s[%i, %j] : memref<4x5xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %k = 0 to 6 {
      affine.for %j = 0 to 5 {
        %x = affine.load %a[%i, %k] : memref<4x6xf32>
        %y = affine.load %b[%k, %j] : memref<6x5xf32>
        %p = affine.load %s[%i, %j] : memref<4x5xf32>
        %m = arith.mulf %x, %y : f32
        %q = arith.addf %p, %m : f32
        affine.store %q, %s[%i, %j] : memref<4x5xf32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 5 {
      %v = affine.load %s[%i, %j] : memref<4x5xf32>
      %w = arith.negf %v : f32
      affine.store %w, %r[%i, %j] : memref<4x5xf32>
    }
  }
  memref.dealloc %s : memref<4x5xf32>
  return %r : memref<4x5xf32>
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

func.func private @fill_6_5(%m: memref<6x5xf32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<6x5xf32> into memref<30xf32>
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %last = affine.for %i = 0 to 30 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    %h = arith.shrsi %z, %s : i32
    %v = arith.sitofp %h : i32 to f32
    affine.store %v, %f[%i] : memref<30xf32>
    affine.yield %z : i32
  }
  return
}

func.func private @show_6_5(%m: memref<6x5xf32>) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<6x5xf32> into memref<30xf32>
  affine.for %i = 0 to 30 {
    %v = affine.load %f[%i] : memref<30xf32>
    %b = arith.bitcast %v : f32 to i32
    vector.print %b : i32
  }
  return
}

func.func private @fill_4_5(%m: memref<4x5xf32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<4x5xf32> into memref<20xf32>
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %last = affine.for %i = 0 to 20 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    %h = arith.shrsi %z, %s : i32
    %v = arith.sitofp %h : i32 to f32
    affine.store %v, %f[%i] : memref<20xf32>
    affine.yield %z : i32
  }
  return
}

func.func private @show_4_5(%m: memref<4x5xf32>) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<4x5xf32> into memref<20xf32>
  affine.for %i = 0 to 20 {
    %v = affine.load %f[%i] : memref<20xf32>
    %b = arith.bitcast %v : f32 to i32
    vector.print %b : i32
  }
  return
}

func.func @main() {
  %a0 = memref.alloc() : memref<4x6xf32>
  %s0 = arith.constant 3 : i32
  call @fill_4_6(%a0, %s0) : (memref<4x6xf32>, i32) -> ()
  %a1 = memref.alloc() : memref<6x5xf32>
  %s1 = arith.constant 80 : i32
  call @fill_6_5(%a1, %s1) : (memref<6x5xf32>, i32) -> ()
  %r:1 = call @k(%a0, %a1) : (memref<4x6xf32>, memref<6x5xf32>) -> (memref<4x5xf32>)
  call @show_4_6(%a0) : (memref<4x6xf32>) -> ()
  call @show_6_5(%a1) : (memref<6x5xf32>) -> ()
  call @show_4_5(%r#0) : (memref<4x5xf32>) -> ()
  memref.dealloc %r#0 : memref<4x5xf32>
  memref.dealloc %a0 : memref<4x6xf32>
  memref.dealloc %a1 : memref<6x5xf32>
  return
}
