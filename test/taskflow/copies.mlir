// Copies of memory become loop nests, and so tasks, where source and target surely differ.
// RUN: stowage-opt %s --convert-affine-to-taskflow=copies | FileCheck %s

// A size that is known at run time only bounds its loop.
// CHECK-LABEL: func @dynamic(
func.func @dynamic(%n: index, %x: f32) -> memref<?x4xf32> {
  // CHECK: %[[A:.*]] = memref.alloc
  %a = memref.alloc(%n) : memref<?x4xf32>
  // CHECK: %[[B:.*]] = memref.alloc
  %b = memref.alloc(%n) : memref<?x4xf32>
  // CHECK: taskflow.task @Task_0
  affine.for %i = 0 to %n {
    affine.store %x, %a[%i, 0] : memref<?x4xf32>
  }
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[N:.*]] = memref.dim %[[A]], %[[C0]]
  // CHECK: taskflow.task @Task_1 {{.*}} write_memrefs(%[[B]] : {{.*}}) value_inputs(%[[N]] : index)
  // CHECK-NEXT: ^bb0(%[[FROM:.*]]: memref<?x4xf32>, %[[TO:.*]]: memref<?x4xf32>, %[[SIZE:.*]]: index):
  // CHECK-NEXT: affine.for %[[I:.*]] = 0 to %[[SIZE]]
  // CHECK-NEXT: affine.for %[[J:.*]] = 0 to 4
  // CHECK-NEXT: %[[V:.*]] = affine.load %[[FROM]][%[[I]], %[[J]]]
  // CHECK-NEXT: affine.store %[[V]], %[[TO]][%[[I]], %[[J]]]
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return %b : memref<?x4xf32>
}

memref.global "private" @one : memref<4xf32> = uninitialized
memref.global "private" @other : memref<4xf32> = uninitialized

// CHECK-LABEL: func @two_globals(
func.func @two_globals() {
  // CHECK: taskflow.task
  // CHECK-NOT: memref.copy
  %a = memref.get_global @one : memref<4xf32>
  %b = memref.get_global @other : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// One global by two names.
// CHECK-LABEL: func @one_global(
func.func @one_global() {
  // CHECK-NOT: taskflow.task
  // CHECK: memref.copy
  %a = memref.get_global @one : memref<4xf32>
  %b = memref.get_global @one : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func @arguments(
func.func @arguments(%a: memref<4xf32>, %b: memref<4xf32>) {
  // CHECK-NOT: taskflow.task
  // CHECK: memref.copy
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}
