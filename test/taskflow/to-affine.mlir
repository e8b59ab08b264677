// To tasks and back: what comes out is valid, and nothing of the dialect is left.
// RUN: stowage-opt %s -allow-unregistered-dialect --convert-affine-to-taskflow --convert-taskflow-to-affine | FileCheck %s
// CHECK-NOT: taskflow

// The op of a dialect that nobody knows has no dialect to ask.
// CHECK-LABEL: @unregistered_user
// CHECK: "use"(%{{.*}}, %arg1, %arg2)
func.func @unregistered_user(%n: index, %k: index, %b: memref<8xf32>) {
  affine.for %i = 0 to %n {
    "use"(%i, %k, %b) : (index, index, memref<8xf32>) -> ()
  }
  return
}

// The size of a view is an affine symbol inside the task, too: the dimension asked for is a constant there.
// CHECK-LABEL: @size_of_view
// CHECK: %[[SIZE:.*]] = memref.dim
// CHECK: affine.for %{{.*}} = 0 to %[[SIZE]]
func.func @size_of_view(%a: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 8 {
    %v = memref.subview %a[0] [%n] [1] : memref<8xf32> to memref<?xf32, strided<[1]>>
    %d = memref.dim %v, %c0 : memref<?xf32, strided<[1]>>
    affine.for %j = 0 to %d {
      %x = affine.load %v[%j] : memref<?xf32, strided<[1]>>
      affine.store %x, %a[%i] : memref<8xf32>
    }
  }
  return
}
