// RUN: stowage-opt --refuse-allocs --verify-diagnostics --split-input-file %s

func.func @f() -> memref<4xf32> {
  // expected-error @+1 {{'memref.alloc' still takes memory from the heap when the program runs; --remarks-filter=merge-alloc says why}}
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

func.func @each_one(%n: index, %x: memref<4xf32>, %y: memref<?xf32>) {
  // expected-error @+1 {{'memref.alloc' still takes memory from the heap when the program runs; its size is known at run time only: set dynamic=exact}}
  %a = memref.alloc(%n) : memref<?xf32>
  // expected-error @+1 {{'bufferization.clone' still takes memory}}
  %b = bufferization.clone %x : memref<4xf32> to memref<4xf32>
  // expected-error @+1 {{'memref.realloc' still takes memory from the heap when the program runs; make a larger memref.alloc in its place}}
  %c = memref.realloc %y(%n) : memref<?xf32> to memref<?xf32>
  %d = memref.alloca() : memref<4xf32>
  return
}
