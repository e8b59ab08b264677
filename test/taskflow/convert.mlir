// Operands, versions and results of the conversion, and the way back.
// RUN: stowage-opt %s --convert-affine-to-taskflow | FileCheck %s
// RUN: stowage-opt %s --convert-affine-to-taskflow --convert-taskflow-to-affine | FileCheck %s --check-prefix=BACK

// Read after write: the reader takes the writer's version. Write after read: the second writer takes
// the version that the reader puts out.
// CHECK-LABEL: func @versions(
// CHECK-SAME: %[[A:.*]]: memref<8xf32>, %[[X:.*]]: f32
func.func @versions(%a: memref<8xf32>, %x: f32) -> (memref<8xf32>, f32) {
  // CHECK: %[[W0:.*]] = taskflow.task @Task_0 write_memrefs(%[[A]] : {{.*}}) value_inputs(%[[X]] : f32) [original_write_memrefs(%[[A]]
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  // CHECK: %[[R1:.*]], %[[V1:.*]] = taskflow.task @Task_1 read_memrefs(%[[W0]] : {{.*}}) value_inputs(%[[X]] : f32) [original_read_memrefs(%[[A]]
  // CHECK-SAME: : (memref<8xf32>, f32) -> (memref<8xf32>, f32)
  // CHECK: taskflow.yield reads(%{{.*}} : memref<8xf32>) values(%{{.*}} : f32)
  %s = affine.for %i = 0 to 8 iter_args(%sum = %x) -> f32 {
    %v = affine.load %a[%i] : memref<8xf32>
    %n = arith.addf %sum, %v : f32
    affine.yield %n : f32
  }
  // In place: the buffer stands in both lists, and needs no output of its read.
  // CHECK: %[[W2:.*]] = taskflow.task @Task_2 read_memrefs(%[[R1]] : {{.*}}) write_memrefs(%[[R1]] : {{.*}}) [original_read_memrefs(%[[A]] : {{.*}}), original_write_memrefs(%[[A]]
  // CHECK-NEXT: ^bb0(%[[FROM:.*]]: memref<8xf32>, %[[TO:.*]]: memref<8xf32>):
  // CHECK: affine.load %[[FROM]]
  // CHECK: affine.store %{{.*}}, %[[TO]]
  affine.for %i = 0 to 8 {
    %v = affine.load %a[%i] : memref<8xf32>
    %w = arith.mulf %v, %v : f32
    affine.store %w, %a[%i] : memref<8xf32>
  }
  // CHECK: return %[[W2]], %[[V1]]
  return %a, %s : memref<8xf32>, f32
}

// Ops between tasks take the newest version, and keep their place.
// CHECK-LABEL: func @between(
func.func private @use(memref<8xf32>)
func.func @between(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  // CHECK: %[[W0:.*]] = taskflow.task @Task_0
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  // CHECK: memref.copy %[[W0]], %{{.*}}
  memref.copy %a, %b : memref<8xf32> to memref<8xf32>
  // CHECK: call @use(%[[W0]])
  call @use(%a) : (memref<8xf32>) -> ()
  // CHECK: taskflow.task @Task_1 write_memrefs(%[[W0]]
  affine.for %i = 0 to 8 {
    affine.store %x, %a[%i] : memref<8xf32>
  }
  return
}

// Dynamic bounds are value inputs; asking for a size does not touch memory.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[B:.*]]: memref<?xf32>
func.func @dynamic(%a: memref<?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[N:.*]] = memref.dim %[[A]]
  %n = memref.dim %a, %c0 : memref<?xf32>
  // CHECK: taskflow.task @Task_0 read_memrefs(%[[A]] : {{.*}}) write_memrefs(%[[B]] : {{.*}}) value_inputs(%[[N]] : index)
  // CHECK-NEXT: ^bb0(%{{.*}}, %{{.*}}, %[[SIZE:.*]]: index)
  // CHECK-NEXT: affine.for %{{.*}} = 0 to %[[SIZE]]
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf32>
    affine.store %v, %b[%i] : memref<?xf32>
  }
  return
}

// memref.load and memref.store of affine indices are raised; others stay, and so do hints.
// CHECK-LABEL: func @raised(
func.func @raised(%a: memref<8xf32>, %b: memref<8xf32>, %p: memref<8xindex>) {
  // CHECK: affine.load %{{.*}}[%[[I:.*]]] : memref<8xf32>
  // CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]]] : memref<8xf32>
  // CHECK: %[[J:.*]] = affine.load %{{.*}}[%[[I]]] : memref<8xindex>
  // CHECK: memref.load %{{.*}}[%[[J]]] : memref<8xf32>
  // CHECK: memref.load %{{.*}}[%[[I]]] {nontemporal = true} : memref<8xf32>
  affine.for %i = 0 to 8 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %b[%i] : memref<8xf32>
    %j = memref.load %p[%i] : memref<8xindex>
    %w = memref.load %a[%j] : memref<8xf32>
    %t = memref.load %a[%i] {nontemporal = true} : memref<8xf32>
    vector.print %w : f32
    vector.print %t : f32
  }
  return
}

// A view becomes the task's own, and an access through it one to what is under it.
// CHECK-LABEL: func @view(
// CHECK-SAME: %[[A:.*]]: memref<8x8xf32>, %[[B:.*]]: memref<8xf32>
func.func @view(%a: memref<8x8xf32>, %b: memref<8xf32>) {
  %s = memref.subview %a[1, 2] [4, 4] [1, 1] : memref<8x8xf32> to memref<4x4xf32, strided<[8, 1], offset: 10>>
  %e = memref.expand_shape %b [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  // CHECK: taskflow.task @Task_0 read_memrefs(%[[A]] : {{.*}}) write_memrefs(%[[B]] : {{.*}}) [
  // CHECK: memref.expand_shape %{{.*}}
  // CHECK: affine.load %{{.*}}[%{{.*}} + 1, %{{.*}} + 2] : memref<8x8xf32>
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 4 {
      %v = affine.load %s[%i, %j] : memref<4x4xf32, strided<[8, 1], offset: 10>>
      affine.store %v, %e[%i, %j] : memref<2x4xf32>
    }
  }
  return
}

// A loop that carries a memref stays a loop.
// CHECK-LABEL: func @carries_memref(
// CHECK-NOT: taskflow.task
func.func @carries_memref(%a: memref<8xf32>, %b: memref<8xf32>) -> memref<8xf32> {
  %r:2 = affine.for %i = 0 to 8 iter_args(%x = %a, %y = %b) -> (memref<8xf32>, memref<8xf32>) {
    affine.yield %y, %x : memref<8xf32>, memref<8xf32>
  }
  return %r#0 : memref<8xf32>
}

// Nothing of the dialect is left, and every buffer is itself again.
// BACK-NOT: taskflow
// BACK-LABEL: func @versions(
// BACK: affine.store %arg1, %arg0
// BACK: return %arg0
// BACK-NOT: taskflow
