// Readers of what a task only copies from an argument or a global read that itself, where it stays as it is.

// DEFINE: %{fuse} = convert-affine-to-taskflow{copies},memory-access-streaming-fusion{report=text}
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse},convert-taskflow-to-affine,canonicalize)' 2>/dev/null | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(%{fuse})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --convert-affine-to-taskflow=copies --memory-access-streaming-fusion=read-through-copies=false --convert-taskflow-to-affine | FileCheck %s --check-prefix=KEPT
// RUN: stowage-opt %s --convert-affine-to-taskflow=copies --memory-access-streaming-fusion --remarks-filter=memory-access-streaming-fusion --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The copy is transposed, the reader wants three cells.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     memref.alloc
// CHECK:         affine.load %arg0[%{{[^,]*}} + %{{[^,]*}}, %{{[^,]*}}] : memref<8x6xf32>
// SAID-LABEL:  @transposed
// SAID:          nothing read 1 buffers of 192 bytes: gone
// SAID:          @Task_0 and @Task_1 stay two (copy): the writer only copies
// KEPT-LABEL:  func.func @transposed
// KEPT:          memref.alloc() : memref<1x3xf32>
// REMARK:      [Passed] copy
func.func @transposed(%a: memref<8x6xf32>) -> f32 {
  %t = memref.alloc() : memref<6x8xf32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 8 {
      %x = affine.load %a[%j, %i] : memref<8x6xf32>
      affine.store %x, %t[%i, %j] : memref<6x8xf32>
    }
  }
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 6 iter_args(%s0 = %zero) -> f32 {
    %s1 = affine.for %j = 0 to 6 iter_args(%s2 = %s0) -> f32 {
      %s3 = affine.for %k = 0 to 3 iter_args(%s4 = %s2) -> f32 {
        %x = affine.load %t[%i, %j + %k] : memref<6x8xf32>
        %s5 = arith.addf %s4, %x : f32
        affine.yield %s5 : f32
      }
      affine.yield %s3 : f32
    }
    affine.yield %s1 : f32
  }
  memref.dealloc %t : memref<6x8xf32>
  return %r : f32
}

// What is read through one copy may be another one; the source is shifted, and of other rank.
// CHECK-LABEL: func.func @chain
// CHECK-NOT:     memref.alloc
// CHECK:         affine.load %arg0[2, %{{.*}} + %{{.*}} + 1] : memref<3x9xf32>
func.func @chain(%a: memref<3x9xf32>) -> f32 {
  %t = memref.alloc() : memref<8xf32>
  %u = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[2, %i + 1] : memref<3x9xf32>
    affine.store %x, %t[%i] : memref<8xf32>
  }
  %zero = arith.constant 0.0 : f32
  memref.copy %t, %u : memref<8xf32> to memref<8xf32>
  %r = affine.for %i = 0 to 6 iter_args(%s0 = %zero) -> f32 {
    %s1 = affine.for %k = 0 to 3 iter_args(%s2 = %s0) -> f32 {
      %x = affine.load %u[%i + %k] : memref<8xf32>
      %y = affine.load %t[%i + %k] : memref<8xf32>
      %z = arith.mulf %x, %y : f32
      %s3 = arith.addf %s2, %z : f32
      affine.yield %s3 : f32
    }
    affine.yield %s1 : f32
  }
  return %r : f32
}

// The reader may write what was copied.
// CHECK-LABEL: func.func @overlap
// CHECK:         memref.alloc
func.func @overlap(%a: memref<8xf32>, %b: memref<6xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.store %x, %t[%i] : memref<8xf32>
  }
  affine.for %i = 0 to 6 {
    %x = affine.load %t[%i] : memref<8xf32>
    %y = affine.load %t[%i + 2] : memref<8xf32>
    %z = arith.addf %x, %y : f32
    affine.store %z, %b[%i] : memref<6xf32>
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// The source is written between the two.
// CHECK-LABEL: func.func @written
// CHECK:         memref.alloc
func.func @written(%a: memref<8xf32>, %v: f32) -> f32 {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.store %x, %t[%i] : memref<8xf32>
  }
  affine.store %v, %a[3] : memref<8xf32>
  %zero = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to 6 iter_args(%s0 = %zero) -> f32 {
    %s1 = affine.for %k = 0 to 3 iter_args(%s2 = %s0) -> f32 {
      %x = affine.load %t[%i + %k] : memref<8xf32>
      %s3 = arith.addf %s2, %x : f32
      affine.yield %s3 : f32
    }
    affine.yield %s1 : f32
  }
  return %r : f32
}

// Cell 0 of the copy has another origin.
// CHECK-LABEL: func.func @part
// CHECK:         memref.alloc
func.func @part(%a: memref<8xf32>) -> f32 {
  %t = memref.alloc() : memref<9xf32>
  %zero = arith.constant 0.0 : f32
  affine.store %zero, %t[8] : memref<9xf32>
  affine.for %i = 0 to 8 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.store %x, %t[%i] : memref<9xf32>
  }
  %r = affine.for %i = 0 to 7 iter_args(%s0 = %zero) -> f32 {
    %s1 = affine.for %k = 0 to 3 iter_args(%s2 = %s0) -> f32 {
      %x = affine.load %t[%i + %k] : memref<9xf32>
      %s3 = arith.addf %s2, %x : f32
      affine.yield %s3 : f32
    }
    affine.yield %s1 : f32
  }
  return %r : f32
}
