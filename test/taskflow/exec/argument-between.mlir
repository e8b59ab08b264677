// The buffer between is an argument: the value is passed on, and the store stays.
// RUN: %python %S/../variants.py %s --fuses 1

func.func @k(%t: memref<8xf32>) -> memref<8xf32> {
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %r[%i] : memref<8xf32>
  }
  return %r : memref<8xf32>
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

func.func @main() {
  %a0 = memref.alloc() : memref<8xf32>
  %s0 = arith.constant 3 : i32
  call @fill_8(%a0, %s0) : (memref<8xf32>, i32) -> ()
  %r:1 = call @k(%a0) : (memref<8xf32>) -> (memref<8xf32>)
  call @show_8(%a0) : (memref<8xf32>) -> ()
  call @show_8(%r#0) : (memref<8xf32>) -> ()
  memref.dealloc %r#0 : memref<8xf32>
  memref.dealloc %a0 : memref<8xf32>
  return
}
