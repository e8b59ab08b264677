// A task copies an argument, and a reader wants more than a cell: it reads the argument itself, where nothing writes that.
// RUN: %python %S/../variants.py %s --fuses 0

// Transposed and turned around, and read so again.
func.func @k(%a: memref<8xf32>) -> memref<2x2xf32> {
  %r = memref.alloc() : memref<2x2xf32>
  %m = memref.expand_shape %a [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  call @wide(%m, %r) : (memref<2x4xf32>, memref<2x2xf32>) -> ()
  call @shift(%a, %a) : (memref<8xf32>, memref<8xf32>) -> ()
  call @overwritten(%a) : (memref<8xf32>) -> ()
  return %r : memref<2x2xf32>
}

func.func private @wide(%a: memref<2x4xf32>, %r: memref<2x2xf32> {llvm.noalias}) {
  %t = memref.alloc() : memref<4x2xf32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 2 {
      %x = affine.load %a[1 - %j, %i] : memref<2x4xf32>
      affine.store %x, %t[%i, %j] : memref<4x2xf32>
    }
  }
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %zero = arith.constant 0.0 : f32
      %s = affine.for %k = 0 to 3 iter_args(%s0 = %zero) -> f32 {
        %x = affine.load %t[%k + %i, %j] : memref<4x2xf32>
        %y = affine.load %t[3 - %k, 1 - %j] : memref<4x2xf32>
        %z = arith.mulf %x, %y : f32
        %s1 = arith.addf %s0, %z : f32
        affine.yield %s1 : f32
      }
      affine.store %s, %r[%i, %j] : memref<2x2xf32>
    }
  }
  memref.dealloc %t : memref<4x2xf32>
  return
}

// Both arguments are the same memory here.
func.func private @shift(%a: memref<8xf32>, %b: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 6 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = affine.load %t[%i + 1] : memref<8xf32>
    %x = arith.addf %v, %w : f32
    affine.store %x, %b[%i + 2] : memref<8xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// The source is written before the copy is read.
func.func private @overwritten(%a: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %two = arith.constant 2.0 : f32
    affine.store %two, %a[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 3 {
    affine.for %k = 0 to 2 {
      %v = affine.load %t[%i * 2 + %k] : memref<8xf32>
      %w = affine.load %a[%i] : memref<8xf32>
      %x = arith.addf %v, %w : f32
      affine.store %x, %a[%i] : memref<8xf32>
    }
  }
  memref.dealloc %t : memref<8xf32>
  return
}

func.func private @fill_8(%m: memref<8xf32>, %seed: i32) {
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %last = affine.for %i = 0 to 8 iter_args(%x = %seed) -> (i32) {
    %y = arith.muli %x, %k : i32
    %z = arith.addi %y, %c : i32
    %h = arith.shrsi %z, %s : i32
    %v = arith.sitofp %h : i32 to f32
    affine.store %v, %m[%i] : memref<8xf32>
    affine.yield %z : i32
  }
  return
}

func.func private @show_8(%m: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %v = affine.load %m[%i] : memref<8xf32>
    %b = arith.bitcast %v : f32 to i32
    vector.print %b : i32
  }
  return
}

func.func private @show_2_2(%m: memref<2x2xf32>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 2 {
      %v = affine.load %m[%i, %j] : memref<2x2xf32>
      %b = arith.bitcast %v : f32 to i32
      vector.print %b : i32
    }
  }
  return
}

func.func @main() {
  %a0 = memref.alloc() : memref<8xf32>
  %s0 = arith.constant 3 : i32
  call @fill_8(%a0, %s0) : (memref<8xf32>, i32) -> ()
  %r = call @k(%a0) : (memref<8xf32>) -> memref<2x2xf32>
  call @show_8(%a0) : (memref<8xf32>) -> ()
  call @show_2_2(%r) : (memref<2x2xf32>) -> ()
  memref.dealloc %r : memref<2x2xf32>
  memref.dealloc %a0 : memref<8xf32>
  return
}
