// What no division and no split of a loop can be asked of.
// RUN: stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=assume-noalias-arguments --convert-taskflow-to-affine | FileCheck %s

// Indices that lie 2^63 apart.
// CHECK-LABEL: func @far
func.func @far(%a: memref<40xi32>, %o: memref<40xi32>) {
  %b = memref.alloc() : memref<40xi32>
  affine.for %i = 0 to 0 {
    %v = affine.load %a[%i] : memref<40xi32>
    affine.store %v, %b[-%i - 9223372036854775807 - 1] : memref<40xi32>
  }
  affine.for %i = 0 to 0 {
    %v = affine.load %b[-%i] : memref<40xi32>
    affine.store %v, %o[%i] : memref<40xi32>
  }
  memref.dealloc %b : memref<40xi32>
  return
}

// A constant bound that has an operand.
// CHECK-LABEL: func @named
// CHECK-NOT: iter_args
func.func @named(%a: memref<40xi32>, %o: memref<40xi32>, %n: index) {
  %b = memref.alloc() : memref<40xi32>
  affine.for %i = 0 to 40 {
    %v = affine.load %a[%i] : memref<40xi32>
    affine.store %v, %b[%i] : memref<40xi32>
  }
  affine.for %i = 0 to 36 {
    affine.for %q = affine_map<(d0) -> (0)>(%n) to 20 {
      affine.for %j = max affine_map<(d0) -> (3, d0)>(%q) to 30 {
        %v = affine.load %b[%i + 2] : memref<40xi32>
        %w = affine.load %b[%i + 4] : memref<40xi32>
        %x = arith.addi %v, %w : i32
        affine.store %x, %o[%j] : memref<40xi32>
      }
    }
  }
  memref.dealloc %b : memref<40xi32>
  return
}
