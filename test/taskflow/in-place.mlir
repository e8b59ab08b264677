// A buffer that a task writes first takes the place of one that it reads last, where no cell is overwritten too early.
// DEFINE: %{fuse} = stowage-opt %s --convert-affine-to-taskflow
// RUN: %{fuse} --memory-access-streaming-fusion='report=text assume-noalias-arguments' --convert-taskflow-to-affine --canonicalize 2>/dev/null | FileCheck %s
// RUN: %{fuse} --memory-access-streaming-fusion='report=text assume-noalias-arguments' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: %{fuse} --memory-access-streaming-fusion='report=text assume-noalias-arguments in-place=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART

// The differences take the place of the product. Its sums run outermost then, and of one factor a column is enough.
// SAID-LABEL: @products
// SAID-NEXT:    before {{ *}}13 tasks {{ *}}528 bytes
// SAID-NEXT:    after {{ *}}5 tasks {{ *}}80 bytes
// SAID:         1 buffers of 64 bytes took the place of others
// CHECK-LABEL: func.func @products
// CHECK:         memref.alloc() : memref<4x4xi32>
// CHECK:         memref.alloc() : memref<4x1xi32>
// CHECK-NOT:     memref.alloc()
// APART-LABEL: @products
// APART:         after {{ *}}5 tasks {{ *}}144 bytes
// APART-NOT:     took the place
func.func @products(%a: memref<4x3xi32>, %wq: memref<3x8xi32>, %wk: memref<3x8xi32>, %wv: memref<3x8xi32>, %o: memref<4x8xi32>) {
  %zero = arith.constant 0 : i32
  %q = memref.alloc() : memref<4x8xi32>
  %k = memref.alloc() : memref<4x8xi32>
  %v = memref.alloc() : memref<4x8xi32>
  %s = memref.alloc() : memref<4x4xi32>
  %e = memref.alloc() : memref<4x4xi32>
  %m = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %q[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wq[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %q[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %q[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %k[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wk[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %k[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %k[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %v[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 3 {
        %x = affine.load %a[%i, %c] : memref<4x3xi32>
        %y = affine.load %wv[%c, %j] : memref<3x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %v[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %v[%i, %j] : memref<4x8xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.store %zero, %s[%i, %j] : memref<4x4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      affine.for %c = 0 to 8 {
        %x = affine.load %q[%i, %c] : memref<4x8xi32>
        %y = affine.load %k[%j, %c] : memref<4x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %s[%i, %j] : memref<4x4xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %s[%i, %j] : memref<4x4xi32>
      }
    }
  }
  affine.for %i = 0 to 4 {
    affine.store %zero, %m[%i] : memref<4xi32>
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %s[%i, %j] : memref<4x4xi32>
      %s0 = affine.load %m[%i] : memref<4xi32>
      %s1 = arith.maxsi %s0, %x : i32
      affine.store %s1, %m[%i] : memref<4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 4 {
      %x = affine.load %s[%i, %j] : memref<4x4xi32>
      %z = affine.load %m[%i] : memref<4xi32>
      %y = arith.subi %x, %z : i32
      affine.store %y, %e[%i, %j] : memref<4x4xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.store %zero, %o[%i, %j] : memref<4x8xi32>
    }
  }
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 8 {
      affine.for %c = 0 to 4 {
        %x = affine.load %e[%i, %c] : memref<4x4xi32>
        %y = affine.load %v[%c, %j] : memref<4x8xi32>
        %p = arith.muli %x, %y : i32
        %s0 = affine.load %o[%i, %j] : memref<4x8xi32>
        %s1 = arith.addi %s0, %p : i32
        affine.store %s1, %o[%i, %j] : memref<4x8xi32>
      }
    }
  }
  memref.dealloc %q : memref<4x8xi32>
  memref.dealloc %k : memref<4x8xi32>
  memref.dealloc %v : memref<4x8xi32>
  memref.dealloc %s : memref<4x4xi32>
  memref.dealloc %e : memref<4x4xi32>
  memref.dealloc %m : memref<4xi32>
  return
}

// Cell 7 - i is read after cell i is overwritten.
// SAID-LABEL: @too_early
// SAID:         after {{ *}}{{[0-9]+}} tasks {{ *}}64 bytes
// SAID-NOT:     took the place
// CHECK-LABEL: func.func @too_early
func.func @too_early(%a: memref<8xi32>, %o: memref<8xi32>) {
  %s = memref.alloc() : memref<8xi32>
  %e = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[(%i * 5) mod 8] : memref<8xi32>
    %w = arith.muli %x, %x : i32
    affine.store %w, %s[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %s[%i] : memref<8xi32>
    %y = affine.load %s[7 - %i] : memref<8xi32>
    %z = arith.subi %x, %y : i32
    affine.store %z, %e[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %e[(%i * 3) mod 8] : memref<8xi32>
    affine.store %x, %o[%i] : memref<8xi32>
  }
  memref.dealloc %s : memref<8xi32>
  memref.dealloc %e : memref<8xi32>
  return
}

// Cells that are read twice, but in time; and one that is read again in another task.
// SAID-LABEL: @in_time
// SAID:         after {{ *}}{{[0-9]+}} tasks {{ *}}32 bytes
// SAID:         1 buffers of 32 bytes took the place of others
// SAID-LABEL: @again
// SAID:         after {{ *}}{{[0-9]+}} tasks {{ *}}64 bytes
// SAID-NOT:     took the place
// CHECK-LABEL: func.func @in_time
// CHECK:         memref.alloc() : memref<8xi32>
// CHECK-NOT:     memref.alloc()
// CHECK-LABEL: func.func @again
func.func @in_time(%a: memref<8xi32>, %o: memref<8xi32>) {
  %s = memref.alloc() : memref<8xi32>
  %e = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[(%i * 5) mod 8] : memref<8xi32>
    %w = arith.muli %x, %x : i32
    affine.store %w, %s[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %s[%i] : memref<8xi32>
    %y = affine.load %s[(%i floordiv 4) * 4 + 3] : memref<8xi32>
    %z = arith.subi %x, %y : i32
    affine.store %z, %e[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %e[(%i * 3) mod 8] : memref<8xi32>
    affine.store %x, %o[%i] : memref<8xi32>
  }
  memref.dealloc %s : memref<8xi32>
  memref.dealloc %e : memref<8xi32>
  return
}

func.func @again(%a: memref<8xi32>, %o: memref<8xi32>) {
  %s = memref.alloc() : memref<8xi32>
  %e = memref.alloc() : memref<8xi32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[(%i * 5) mod 8] : memref<8xi32>
    %w = arith.muli %x, %x : i32
    affine.store %w, %s[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %s[%i] : memref<8xi32>
    %y = affine.load %s[(%i floordiv 4) * 4 + 3] : memref<8xi32>
    %z = arith.subi %x, %y : i32
    affine.store %z, %e[%i] : memref<8xi32>
  }
  affine.for %i = 0 to 8 {
    %x = affine.load %e[(%i * 3) mod 8] : memref<8xi32>
    %y = affine.load %s[(%i * 3) mod 8] : memref<8xi32>
    %z = arith.subi %x, %y : i32
    affine.store %z, %o[%i] : memref<8xi32>
  }
  memref.dealloc %s : memref<8xi32>
  memref.dealloc %e : memref<8xi32>
  return
}
