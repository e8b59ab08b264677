// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation=unknown-ops=escape --remarks-filter=buffer-deallocation 2> %t.kept | FileCheck %s --check-prefix=KEPT --implicit-check-not=memref.dealloc
// RUN: FileCheck %s --check-prefix=REMARK-KEPT < %t.kept
// RUN: stowage-opt %s --allow-unregistered-dialect --hoist-allocations=unknown-ops=escape --promote-allocs-to-stack=unknown-ops=escape --buffer-deallocation=unknown-ops=escape | FileCheck %s --check-prefix=KEPT --implicit-check-not=memref.dealloc
// RUN: stowage-opt %s --allow-unregistered-dialect --stowage-memory='hoist unknown-ops=escape stack-bytes=64' | FileCheck %s --check-prefix=KEPT --implicit-check-not=memref.dealloc

// What an op of unknown effects is given: used while it runs, and returned at most, or kept.

func.func private @outside(memref<4xf32>) -> index

// CHECK-LABEL: func.func @number(
// CHECK: "u.sum"
// CHECK-NEXT: memref.dealloc
// KEPT-LABEL: func.func @number(
// KEPT: memref.alloc
func.func @number() -> f32 {
  // REMARK-KEPT: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}an op of unknown effects may keep it
  %0 = memref.alloc() : memref<4xf32>
  %1 = "u.sum"(%0) : (memref<4xf32>) -> f32
  return %1 : f32
}
// CHECK-LABEL: func.func @called(
// CHECK: call @outside
// CHECK-NEXT: memref.dealloc
// KEPT-LABEL: func.func @called(
// KEPT: memref.alloc
func.func @called() -> index {
  // REMARK-KEPT: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}a function without a body may keep it
  %0 = memref.alloc() : memref<4xf32>
  %1 = func.call @outside(%0) : (memref<4xf32>) -> index
  return %1 : index
}
// It may be the memref that it is given.
// CHECK-LABEL: func.func @same(
// CHECK: %[[OWN:.*]] = memref.alloc
// CHECK: memref.load
// CHECK-NEXT: memref.dealloc %[[OWN]]
// KEPT-LABEL: func.func @same(
func.func @same(%i: index) -> f32 {
  // REMARK-KEPT: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}an op of unknown effects may keep it
  %0 = memref.alloc() : memref<4xf32>
  %1 = "u.name"(%0) : (memref<4xf32>) -> memref<4xf32>
  %2 = memref.load %1[%i] : memref<4xf32>
  return %2 : f32
}
// Whose it is cannot be known.
// CHECK-LABEL: func.func @from_nothing(
// CHECK-NOT: memref.dealloc
// KEPT-LABEL: func.func @from_nothing(
func.func @from_nothing(%i: index) -> f32 {
  %0 = "u.some"() : () -> memref<4xf32>
  %1 = memref.load %0[%i] : memref<4xf32>
  return %1 : f32
}
// What is no memref may hold the address for ever.
// CHECK-LABEL: func.func @tensor(
// CHECK-NOT: memref.dealloc
// KEPT-LABEL: func.func @tensor(
func.func @tensor() -> tensor<4xf32> {
  // REMARK: :[[#@LINE+2]]:8: remark: {{.*}}left-alone{{.*}}its address becomes something else than a memref
  // REMARK-KEPT: :[[#@LINE+1]]:8: remark: {{.*}}left-alone{{.*}}its address becomes something else than a memref
  %0 = memref.alloc() : memref<4xf32>
  %1 = "u.tensor"(%0) : (memref<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
