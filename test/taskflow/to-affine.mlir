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
