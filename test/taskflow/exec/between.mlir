// A task between overwrites what the writer reads and reads what the reader writes: neither can
// pass it. (What is fused are the copies.)
// RUN: %python %S/../variants.py %s --fuses 2

func.func @k(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  memref.copy %a, %u : memref<8xf32> to memref<8xf32>
  memref.copy %b, %r : memref<8xf32> to memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %u[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %r[(%i * 3) mod 8] : memref<8xf32>
    affine.store %v, %u[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    affine.store %v, %r[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %u[(%i * 3) mod 8] : memref<8xf32>
    %w = affine.load %r[%i] : memref<8xf32>
    %x = arith.subf %v, %w : f32
    affine.store %x, %r[%i] : memref<8xf32>
  }
  memref.dealloc %t : memref<8xf32>
  memref.dealloc %u : memref<8xf32>
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
  %a1 = memref.alloc() : memref<8xf32>
  %s1 = arith.constant 80 : i32
  call @fill_8(%a1, %s1) : (memref<8xf32>, i32) -> ()
  %r:1 = call @k(%a0, %a1) : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>)
  call @show_8(%a0) : (memref<8xf32>) -> ()
  call @show_8(%a1) : (memref<8xf32>) -> ()
  call @show_8(%r#0) : (memref<8xf32>) -> ()
  memref.dealloc %r#0 : memref<8xf32>
  memref.dealloc %a0 : memref<8xf32>
  memref.dealloc %a1 : memref<8xf32>
  return
}
