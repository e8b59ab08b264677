// A type may say less of a size than the attributes of the op that makes the view: then its dynamic
// dimensions are more than the op's sizes, and no operand is taken for one that is a step.
//
// RUN: stowage-opt %s --merge-alloc=dynamic=exact --check-arena-plan | FileCheck %s

// CHECK-LABEL: func.func @step_is_no_size(
// CHECK-SAME: %[[STEP:[A-Za-z0-9_]+]]: index
// CHECK: %[[VIEW:[A-Za-z0-9_]+]] = memref.reinterpret_cast
// CHECK: %[[SIZE:[A-Za-z0-9_]+]] = memref.dim %[[VIEW]]
// CHECK: memref.dim %[[VIEW]]
// CHECK-NOT: %[[STEP]]
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[SIZE]]] : memref<?xi8> to memref<?xf32>
func.func @step_is_no_size(%step: index, %m: memref<10xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %view = memref.reinterpret_cast %m to offset: [0], sizes: [5], strides: [%step]
      : memref<10xf32> to memref<?xf32, strided<[?]>>
  %size = memref.dim %view, %c0 : memref<?xf32, strided<[?]>>
  %a = memref.alloc(%size) : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  %b = memref.alloc(%size) : memref<?xf32>
  %y = memref.load %b[%c0] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  %sum = arith.addf %x, %y : f32
  return %sum : f32
}

// No operand at all.
// CHECK-LABEL: func.func @no_size(
// CHECK: memref.view
func.func @no_size(%m: memref<10xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %view = memref.reinterpret_cast %m to offset: [0], sizes: [10], strides: [1]
      : memref<10xf32> to memref<?xf32, strided<[1]>>
  %size = memref.dim %view, %c0 : memref<?xf32, strided<[1]>>
  %a = memref.alloc(%size) : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return %x : f32
}
