// RUN: stowage-opt --stowage-model --split-input-file %s | FileCheck %s

// Tensors that change places: one buffer each, and no allocation in an iteration.
// CHECK-LABEL: func.func @model(
// CHECK-NOT: memref.alloc()
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: linalg.add ins(%[[A:.*]], %[[B:.*]] : memref<4xf32>, memref<4xf32>) outs(%[[SUM:.*]] : memref<4xf32>)
// CHECK-NEXT: memref.copy %[[B]], %[[A]]
// CHECK-NEXT: memref.copy %[[SUM]], %[[B]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %s = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What was loaded before the store is the old state, which is the caller's memory. Its initial value has any name but one
// of the program's.
// CHECK: memref.global "private" constant @[[INITIAL:.*]] : memref<2xi8> = dense<1>
// CHECK: func.func @step_state_init(%[[STATE:.*]]: memref<2xi8> {stowage.state = 16 : i64})
// CHECK-NEXT: %[[G:.*]] = memref.get_global @[[INITIAL]]
// CHECK-NEXT: %[[S:.*]] = memref.assume_alignment %[[STATE]], 16
// CHECK-NEXT: memref.copy %[[G]], %[[S]]
// CHECK: func.func @step(%[[X:.*]]: memref<2xi8>, %[[STATE:.*]]: memref<2xi8> {stowage.state = 16 : i64}, %[[OUT:.*]]: memref<2xi8>,
// CHECK-NEXT: %[[S:.*]] = memref.assume_alignment %[[STATE]], 16
// CHECK-NEXT: memref.copy %[[S]], %[[OUT]]
// CHECK-NEXT: memref.copy %[[X]], %[[S]]
ml_program.global private mutable @s(dense<1> : tensor<2xi8>) : tensor<2xi8>
func.func @step(%x: tensor<2xi8>) -> tensor<2xi8> {
  %old = ml_program.global_load @s : tensor<2xi8>
  ml_program.global_store @s = %x : tensor<2xi8>
  return %old : tensor<2xi8>
}

// -----

// What a function returns of another one is the caller's memory, all the way.
// CHECK-LABEL: func.func private @inner(
// CHECK: func.func private @outer(%{{.*}}: memref<4xf32>, %[[R:.*]]: memref<4xf32>)
// CHECK-NEXT: call @inner(%{{.*}}, %[[R]])
// CHECK-NEXT: return
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
