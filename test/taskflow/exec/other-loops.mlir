// Nests of scf.for, scf.parallel and affine.parallel, one after the other: all but the last become one. The last one reads
// a window of three rows.
// RUN: %python %S/../variants.py %s --fuses 3 --tasks 3

func.func @k(%a: memref<10x6xf32>) -> memref<8x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %t = memref.alloc() : memref<10x6xf32>
  %u = memref.alloc() : memref<10x6xf32>
  %v = memref.alloc() : memref<10x6xf32>
  %r = memref.alloc() : memref<8x6xf32>
  scf.for %i = %c0 to %c10 step %c1 {
    scf.for %j = %c0 to %c6 step %c1 {
      %x = memref.load %a[%i, %j] : memref<10x6xf32>
      %y = arith.mulf %x, %x : f32
      memref.store %y, %t[%i, %j] : memref<10x6xf32>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c10, %c6) step (%c1, %c1) {
    %x = memref.load %t[%i, %j] : memref<10x6xf32>
    %y = memref.load %a[%i, %j] : memref<10x6xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %u[%i, %j] : memref<10x6xf32>
  }
  affine.parallel (%i, %j) = (0, 0) to (10, 6) {
    %x = affine.load %u[%i, %j] : memref<10x6xf32>
    %y = arith.subf %x, %x : f32
    %z = arith.subf %y, %x : f32
    affine.store %z, %v[%i, %j] : memref<10x6xf32>
  }
  affine.parallel (%i) = (0) to (8) {
    scf.for %j = %c0 to %c6 step %c1 {
      %x = memref.load %v[%i, %j] : memref<10x6xf32>
      %i2 = affine.apply affine_map<(d0) -> (d0 + 2)>(%i)
      %y = memref.load %v[%i2, %j] : memref<10x6xf32>
      %z = arith.subf %x, %y : f32
      memref.store %z, %r[%i, %j] : memref<8x6xf32>
    }
  }
  memref.dealloc %t : memref<10x6xf32>
  memref.dealloc %u : memref<10x6xf32>
  memref.dealloc %v : memref<10x6xf32>
  return %r : memref<8x6xf32>
}

func.func private @fill(%m: memref<10x6xf32>, %seed: i32) {
  %k = arith.constant 1103515245 : i32
  %c = arith.constant 12345 : i32
  %s = arith.constant 16 : i32
  %last = affine.for %i = 0 to 10 iter_args(%x = %seed) -> (i32) {
    %next = affine.for %j = 0 to 6 iter_args(%y = %x) -> (i32) {
      %p = arith.muli %y, %k : i32
      %z = arith.addi %p, %c : i32
      %h = arith.shrsi %z, %s : i32
      %v = arith.sitofp %h : i32 to f32
      affine.store %v, %m[%i, %j] : memref<10x6xf32>
      affine.yield %z : i32
    }
    affine.yield %next : i32
  }
  return
}

func.func private @show(%m: memref<8x6xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 6 {
      %v = affine.load %m[%i, %j] : memref<8x6xf32>
      %b = arith.bitcast %v : f32 to i32
      vector.print %b : i32
    }
  }
  return
}

func.func @main() {
  %a = memref.alloc() : memref<10x6xf32>
  %s = arith.constant 3 : i32
  call @fill(%a, %s) : (memref<10x6xf32>, i32) -> ()
  %r = call @k(%a) : (memref<10x6xf32>) -> memref<8x6xf32>
  call @show(%r) : (memref<8x6xf32>) -> ()
  memref.dealloc %r : memref<8x6xf32>
  memref.dealloc %a : memref<10x6xf32>
  return
}
