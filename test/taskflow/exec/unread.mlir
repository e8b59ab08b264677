// What two tasks in turn left in a buffer is read by one of them only; and a chain of buffers ends in one that nobody reads. All
// go, with their stores, and the tasks that only filled them.
// RUN: %python %S/../variants.py %s --noalias --fuses 3
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=report=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// REPORT-LABEL: @ping_pong
// REPORT: after 1 tasks 0 bytes
// REPORT: nothing read 1 buffers of 32 bytes: gone
func.func private @ping_pong(%a: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %a[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[%i] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %a[%i] : memref<8xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// REPORT-LABEL: @chain
// REPORT: after 0 tasks 0 bytes
// REPORT: nothing read 2 buffers of 64 bytes: gone
func.func private @chain(%a: memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    affine.store %v, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 8 {
    %v = affine.load %t[(%i * 3) mod 8] : memref<8xf32>
    affine.store %v, %u[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 4 {
    %v = affine.load %t[2 * %i] : memref<8xf32>
    affine.store %v, %u[%i] : memref<8xf32>
  }
  memref.dealloc %u : memref<8xf32>
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

func.func @main() {
  %a = memref.alloc() : memref<8xf32>
  %seed = arith.constant 3 : i32
  call @fill_8(%a, %seed) : (memref<8xf32>, i32) -> ()
  call @ping_pong(%a) : (memref<8xf32>) -> ()
  call @show_8(%a) : (memref<8xf32>) -> ()
  call @chain(%a) : (memref<8xf32>) -> ()
  call @show_8(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}
