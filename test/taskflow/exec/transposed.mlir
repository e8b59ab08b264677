// A transposed read: the reader runs in the order of the writer.
// RUN: %python %S/../variants.py %s --fuses 1

func.func @k(%a: memref<4x6xf32>) -> memref<6x4xf32> {
  %t = memref.alloc() : memref<4x6xf32>
  %r = memref.alloc() : memref<6x4xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 6 {
      %v = affine.load %a[%i, %j] : memref<4x6xf32>
      %w = arith.addf %v, %v : f32
      affine.store %w, %t[%i, %j] : memref<4x6xf32>
    }
  }
  affine.for %j = 0 to 6 {
    affine.for %i = 0 to 4 {
      %v = affine.load %t[%i, %j] : memref<4x6xf32>
      affine.store %v, %r[%j, %i] : memref<6x4xf32>
    }
  }
  memref.dealloc %t : memref<4x6xf32>
  return %r : memref<6x4xf32>
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

func.func private @fill_6_4(%m: memref<6x4xf32>, %seed: i32) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<6x4xf32> into memref<24xf32>
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

func.func private @show_6_4(%m: memref<6x4xf32>) {
  %f = memref.collapse_shape %m [[0, 1]] : memref<6x4xf32> into memref<24xf32>
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
  %r:1 = call @k(%a0) : (memref<4x6xf32>) -> (memref<6x4xf32>)
  call @show_4_6(%a0) : (memref<4x6xf32>) -> ()
  call @show_6_4(%r#0) : (memref<6x4xf32>) -> ()
  memref.dealloc %r#0 : memref<6x4xf32>
  memref.dealloc %a0 : memref<4x6xf32>
  return
}
