// A chain of three nests with a window of rows between each two, and a pool at its end: with channels, all four stay tasks.
// RUN: %python %S/../variants.py %s --fuses 3 --tasks 3
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion='form=channels report=text' -o %t 2>&1 | FileCheck %s
// RUN: stowage-opt %t --check-arena-plan -o /dev/null

// CHECK: 17 of 96 elements deep
// CHECK: 17 of 80 elements deep
// CHECK: 8 of 48 elements deep

func.func @k(%a: memref<12x8xf32>) -> memref<4x3xf32> {
  %t = memref.alloc() : memref<12x8xf32>
  %u = memref.alloc() : memref<10x8xf32>
  %v = memref.alloc() : memref<8x6xf32>
  %r = memref.alloc() : memref<4x3xf32>
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%i, %j] : memref<12x8xf32>
      %y = arith.mulf %x, %x : f32
      affine.store %y, %t[%i, %j] : memref<12x8xf32>
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 8 {
      %x = affine.load %t[%i, %j] : memref<12x8xf32>
      %y = affine.load %t[%i + 2, %j] : memref<12x8xf32>
      %z = arith.subf %x, %y : f32
      affine.store %z, %u[%i, %j] : memref<10x8xf32>
    }
  }
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 6 {
      %x = affine.load %u[%i, %j + 2] : memref<10x8xf32>
      %y = affine.load %u[%i + 2, %j] : memref<10x8xf32>
      %w = affine.load %u[%i + 2, %j + 2] : memref<10x8xf32>
      %z = arith.subf %x, %y : f32
      %s = arith.addf %z, %w : f32
      affine.store %s, %v[%i, %j] : memref<8x6xf32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 3 {
      %x = affine.load %v[2 * %i, 2 * %j] : memref<8x6xf32>
      %y = affine.load %v[2 * %i, 2 * %j + 1] : memref<8x6xf32>
      %z = affine.load %v[2 * %i + 1, 2 * %j] : memref<8x6xf32>
      %w = affine.load %v[2 * %i + 1, 2 * %j + 1] : memref<8x6xf32>
      %p = arith.maximumf %x, %y : f32
      %q = arith.maximumf %z, %w : f32
      %m = arith.maximumf %p, %q : f32
      affine.store %m, %r[%i, %j] : memref<4x3xf32>
    }
  }
  memref.dealloc %t : memref<12x8xf32>
  memref.dealloc %u : memref<10x8xf32>
  memref.dealloc %v : memref<8x6xf32>
  return %r : memref<4x3xf32>
}

func.func private @fill_12_8(%m: memref<12x8xf32>, %seed: i32) {
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %l0 = affine.for %i0 = 0 to 12 iter_args(%x0 = %seed) -> (i32) {
    %l1 = affine.for %i1 = 0 to 8 iter_args(%x1 = %x0) -> (i32) {
      %y = arith.muli %x1, %k : i32
      %z = arith.addi %y, %c : i32
      %h = arith.shrsi %z, %s : i32
      %v = arith.sitofp %h : i32 to f32
      affine.store %v, %m[%i0, %i1] : memref<12x8xf32>
      affine.yield %z : i32
    }
    affine.yield %l1 : i32
  }
  return
}

func.func private @show_4_3(%m: memref<4x3xf32>) {
  affine.for %i0 = 0 to 4 {
    affine.for %i1 = 0 to 3 {
      %v = affine.load %m[%i0, %i1] : memref<4x3xf32>
      %b = arith.bitcast %v : f32 to i32
      vector.print %b : i32
    }
  }
  return
}

func.func @main() {
  %a0 = memref.alloc() : memref<12x8xf32>
  %s0 = arith.constant 3 : i32
  call @fill_12_8(%a0, %s0) : (memref<12x8xf32>, i32) -> ()
  %r = call @k(%a0) : (memref<12x8xf32>) -> memref<4x3xf32>
  call @show_4_3(%r) : (memref<4x3xf32>) -> ()
  memref.dealloc %r : memref<4x3xf32>
  memref.dealloc %a0 : memref<12x8xf32>
  return
}
