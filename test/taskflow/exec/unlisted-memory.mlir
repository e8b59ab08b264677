// A task writes memory that is in none of its lists: a global that it names itself, what a memref that it loads stands
// for, or what a pointer points to. It stays behind what reads that memory, and is not erased as one that does nothing.
// A stack allocation stays where the stack is that high.
// RUN: %python %S/../variants.py %s --fuses 2

memref.global @g : memref<8xi32> = dense<7>
func.func private @global(%v: i32) -> i32 {
  %b = memref.alloc() : memref<8xi32>
  %o = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    affine.store %v, %b[%i] : memref<8xi32>
    %g = memref.get_global @g : memref<8xi32>
    affine.store %v, %g[%i] : memref<8xi32>
  }
  %g2 = memref.get_global @g : memref<8xi32>
  %x = affine.load %g2[3] : memref<8xi32>
  affine.for %i = 0 to 8 {
    %w = affine.load %b[%i] : memref<8xi32>
    affine.store %w, %o[%i] : memref<8xi32>
  }
  %y = affine.load %o[3] : memref<8xi32>
  %z = arith.muli %x, %y : i32
  memref.dealloc %b : memref<8xi32>
  memref.dealloc %o : memref<8xi32>
  return %z : i32
}

func.func private @table(%u: memref<8xi32>, %v: i32) -> i32 {
  %table = memref.alloc() : memref<1xmemref<8xi32>>
  %c0 = arith.constant 0 : index
  memref.store %u, %table[%c0] : memref<1xmemref<8xi32>>
  %b = memref.alloc() : memref<8xi32>
  %o = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    affine.store %v, %b[%i] : memref<8xi32>
    %m = affine.load %table[0] : memref<1xmemref<8xi32>>
    affine.store %v, %m[%i] : memref<8xi32>
  }
  %x = affine.load %u[3] : memref<8xi32>
  affine.for %i = 0 to 8 {
    %w = affine.load %b[%i] : memref<8xi32>
    affine.store %w, %o[%i] : memref<8xi32>
  }
  %y = affine.load %o[3] : memref<8xi32>
  %z = arith.muli %x, %y : i32
  memref.dealloc %b : memref<8xi32>
  memref.dealloc %o : memref<8xi32>
  memref.dealloc %table : memref<1xmemref<8xi32>>
  return %z : i32
}

func.func private @pointer(%u: memref<8xi32>, %v: i32) -> i32 {
  %b = memref.alloc() : memref<8xi32>
  %o = memref.alloc() : memref<8xi32>
  %n = memref.extract_aligned_pointer_as_index %u : memref<8xi32> -> index
  %q = arith.index_cast %n : index to i64
  %p = llvm.inttoptr %q : i64 to !llvm.ptr
  affine.for %i = 0 to 8 {
    affine.store %v, %b[%i] : memref<8xi32>
    llvm.store %v, %p : i32, !llvm.ptr
  }
  %x = affine.load %u[0] : memref<8xi32>
  affine.for %i = 0 to 8 {
    %w = affine.load %b[%i] : memref<8xi32>
    affine.store %w, %o[%i] : memref<8xi32>
  }
  %y = affine.load %o[3] : memref<8xi32>
  %z = arith.muli %x, %y : i32
  memref.dealloc %b : memref<8xi32>
  memref.dealloc %o : memref<8xi32>
  return %z : i32
}

func.func private @unread(%u: memref<8xi32>, %v: i32) -> i32 {
  %b = memref.alloc() : memref<8xi32>
  %n = memref.extract_aligned_pointer_as_index %u : memref<8xi32> -> index
  %q = arith.index_cast %n : index to i64
  %p = llvm.inttoptr %q : i64 to !llvm.ptr
  affine.for %i = 0 to 8 {
    affine.store %v, %b[%i] : memref<8xi32>
    llvm.store %v, %p : i32, !llvm.ptr
  }
  %x = affine.load %u[0] : memref<8xi32>
  memref.dealloc %b : memref<8xi32>
  return %x : i32
}

func.func private @stack(%v: i32, %n: index) -> i32 {
  %b = memref.alloc() : memref<8xi32>
  %o = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    affine.store %v, %b[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %w = affine.load %b[%i] : memref<8xi32>
    affine.store %w, %o[%i] : memref<8xi32>
  }
  %a = memref.alloca(%n) : memref<?xi32>
  %s = llvm.intr.stacksave : !llvm.ptr
  affine.store %v, %a[3] : memref<?xi32>
  llvm.intr.stackrestore %s : !llvm.ptr
  %c = memref.alloca(%n) : memref<?xi32>
  %c9 = arith.constant 9 : i32
  affine.store %c9, %c[3] : memref<?xi32>
  %x = affine.load %a[3] : memref<?xi32>
  %y = affine.load %c[3] : memref<?xi32>
  %z = arith.muli %x, %y : i32
  memref.dealloc %b : memref<8xi32>
  memref.dealloc %o : memref<8xi32>
  return %z : i32
}

func.func private @fill(%u: memref<8xi32>, %v: i32) {
  affine.for %i = 0 to 8 {
    affine.store %v, %u[%i] : memref<8xi32>
  }
  return
}

func.func @main() {
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %n = arith.constant 8 : index
  %u = memref.alloc() : memref<8xi32>
  %0 = call @global(%c5) : (i32) -> i32
  vector.print %0 : i32
  call @fill(%u, %c7) : (memref<8xi32>, i32) -> ()
  %1 = call @table(%u, %c5) : (memref<8xi32>, i32) -> i32
  vector.print %1 : i32
  call @fill(%u, %c7) : (memref<8xi32>, i32) -> ()
  %2 = call @pointer(%u, %c5) : (memref<8xi32>, i32) -> i32
  vector.print %2 : i32
  call @fill(%u, %c7) : (memref<8xi32>, i32) -> ()
  %3 = call @unread(%u, %c5) : (memref<8xi32>, i32) -> i32
  vector.print %3 : i32
  %4 = call @stack(%c5, %n) : (i32, index) -> i32
  vector.print %4 : i32
  memref.dealloc %u : memref<8xi32>
  return
}
