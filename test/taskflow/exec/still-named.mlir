// No load of the buffer between is left, but an op of the fused task names it all the same: a size, a pointer, a select, a
// promise of alignment, a vector store. Such a buffer stays, and its stores with it.
// RUN: %python %S/../variants.py %s --fuses 5 --noalias

func.func private @size(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %t[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %v = affine.load %t[%i] : memref<?xf32>
    %d = memref.dim %t, %c0 : memref<?xf32>
    %x = arith.index_cast %d : index to i32
    %f = arith.sitofp %x : i32 to f32
    %w = arith.addf %v, %f : f32
    affine.store %w, %b[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}

func.func private @pointer(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %t = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %t[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %v = affine.load %t[%i] : memref<?xf32>
    %p = memref.extract_aligned_pointer_as_index %t : memref<?xf32> -> index
    %q = arith.remui %p, %p : index
    %x = arith.index_cast %q : index to i32
    %f = arith.sitofp %x : i32 to f32
    %w = arith.addf %v, %f : f32
    affine.store %w, %b[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  return
}

func.func private @select(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %yes = arith.cmpi eq, %n, %n : index
  %t = memref.alloc(%n) : memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %t[%i] : memref<?xf32>
    %s = arith.select %yes, %t, %b : memref<?xf32>
    %y = memref.load %s[%i] : memref<?xf32>
    affine.store %y, %u[%i] : memref<?xf32>
  }
  %sum = affine.for %i = 0 to %n iter_args(%part = %zero) -> f32 {
    %v = affine.load %t[%i] : memref<?xf32>
    %w = affine.load %u[%i] : memref<?xf32>
    %x = arith.addf %v, %w : f32
    %next = arith.addf %part, %x : f32
    affine.yield %next : f32
  }
  memref.store %sum, %b[%c0] : memref<?xf32>
  memref.dealloc %t : memref<?xf32>
  memref.dealloc %u : memref<?xf32>
  return
}

func.func private @alignment(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %t = memref.alloc(%n) : memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %t[%i] : memref<?xf32>
    %s = memref.assume_alignment %t, 4 : memref<?xf32>
    %y = affine.load %s[%i floordiv 2] : memref<?xf32>
    affine.store %y, %u[%i] : memref<?xf32>
  }
  %sum = affine.for %i = 0 to %n iter_args(%part = %zero) -> f32 {
    %v = affine.load %t[%i] : memref<?xf32>
    %w = affine.load %u[%i] : memref<?xf32>
    %x = arith.mulf %v, %w : f32
    %next = arith.addf %part, %x : f32
    affine.yield %next : f32
  }
  memref.store %sum, %b[%c0] : memref<?xf32>
  memref.dealloc %t : memref<?xf32>
  memref.dealloc %u : memref<?xf32>
  return
}

func.func private @vector(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t = memref.alloc(%n) : memref<?xf32>
  %u = memref.alloc(%n) : memref<?xf32>
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    %four = vector.broadcast %v : f32 to vector<4xf32>
    vector.store %four, %t[%c0] : memref<?xf32>, vector<4xf32>
    affine.store %v, %u[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %n {
    %v = affine.load %u[%i] : memref<?xf32>
    %d = memref.dim %t, %c0 : memref<?xf32>
    %x = arith.index_cast %d : index to i32
    %f = arith.sitofp %x : i32 to f32
    %w = arith.addf %v, %f : f32
    affine.store %w, %b[%i] : memref<?xf32>
  }
  memref.dealloc %t : memref<?xf32>
  memref.dealloc %u : memref<?xf32>
  return
}

func.func private @show(%m: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %m[%i] : memref<?xf32>
    vector.print %v : f32
  }
  return
}

func.func @main() {
  %n = arith.constant 8 : index
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    %v = arith.sitofp %x : i32 to f32
    memref.store %v, %a[%i] : memref<?xf32>
    memref.store %zero, %b[%i] : memref<?xf32>
  }
  call @size(%a, %b, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  call @show(%b, %n) : (memref<?xf32>, index) -> ()
  call @pointer(%a, %b, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  call @show(%b, %n) : (memref<?xf32>, index) -> ()
  call @select(%a, %b, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  call @show(%b, %n) : (memref<?xf32>, index) -> ()
  call @alignment(%a, %b, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  call @show(%b, %n) : (memref<?xf32>, index) -> ()
  call @vector(%a, %b, %n) : (memref<?xf32>, memref<?xf32>, index) -> ()
  call @show(%b, %n) : (memref<?xf32>, index) -> ()
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return
}
