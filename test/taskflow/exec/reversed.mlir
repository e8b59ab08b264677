// Rows that are read from the last to the first, then a window of rows and cells that are: the writers run backwards. The
// last writer adds up along its rows and cannot, so its reader does.
// RUN: %python %S/../variants.py %s --fuses 3 --tasks 3

func.func @k(%a: memref<10x8xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc() : memref<10x8xf32>
  %u = memref.alloc() : memref<10x8xf32>
  %v = memref.alloc() : memref<8xf32>
  %s = memref.alloc() : memref<1xf32>
  %r = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<10x8xf32>
      %y = arith.mulf %x, %x : f32
      affine.store %y, %t[%i, %j] : memref<10x8xf32>
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[9 - %i, 7 - %j] : memref<10x8xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %u[%i, %j] : memref<10x8xf32>
    }
  }
  affine.store %zero, %s[0] : memref<1xf32>
  affine.for %i = 0 to 8 {
    %p = affine.load %s[0] : memref<1xf32>
    %x = affine.load %u[9 - %i, 3] : memref<10x8xf32>
    %y = affine.load %u[7 - %i, 4] : memref<10x8xf32>
    %z = arith.subf %x, %y : f32
    %q = arith.addf %p, %z : f32
    affine.store %q, %s[0] : memref<1xf32>
    affine.store %q, %v[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %v[7 - %i] : memref<8xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %r[%i] : memref<8xf32>
  }
  memref.dealloc %t : memref<10x8xf32>
  memref.dealloc %u : memref<10x8xf32>
  memref.dealloc %v : memref<8xf32>
  memref.dealloc %s : memref<1xf32>
  return %r : memref<8xf32>
}

func.func private @fill_10_8(%m: memref<10x8xf32>, %seed: i32) {
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %l0 = affine.for %i0 = 0 to 10 iter_args(%x0 = %seed) -> (i32) {
    %l1 = affine.for %i1 = 0 to 8 iter_args(%x1 = %x0) -> (i32) {
      %y = arith.muli %x1, %k : i32
      %z = arith.addi %y, %c : i32
      %h = arith.shrsi %z, %s : i32
      %v = arith.sitofp %h : i32 to f32
      affine.store %v, %m[%i0, %i1] : memref<10x8xf32>
      affine.yield %z : i32
    }
    affine.yield %l1 : i32
  }
  return
}

func.func private @show_8(%m: memref<8xf32>) {
  affine.for %i0 = 0 to 8 {
    %v = affine.load %m[%i0] : memref<8xf32>
    %b = arith.bitcast %v : f32 to i32
    vector.print %b : i32
  }
  return
}

func.func @main() {
  %a0 = memref.alloc() : memref<10x8xf32>
  %s0 = arith.constant 3 : i32
  call @fill_10_8(%a0, %s0) : (memref<10x8xf32>, i32) -> ()
  %r = call @k(%a0) : (memref<10x8xf32>) -> memref<8xf32>
  call @show_8(%r) : (memref<8xf32>) -> ()
  memref.dealloc %r : memref<8xf32>
  memref.dealloc %a0 : memref<10x8xf32>
  return
}
