// Every clause, and every clause left out; what is printed is read back as the same.
// RUN: stowage-opt %s | FileCheck %s
// RUN: stowage-opt %s | stowage-opt | FileCheck %s
// RUN: stowage-opt %s --mlir-print-op-generic | stowage-opt | FileCheck %s
// RUN: stowage-opt %s --emit-bytecode | stowage-opt | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s

// CHECK-LABEL: func @clauses
func.func @clauses(%a: memref<8xf32>, %b: memref<8xf32>, %v: f32) -> (memref<8xf32>, f32) {
  // CHECK: %[[W:.*]], %[[V:.*]] = taskflow.task @Task_0 read_memrefs(%arg0 : memref<8xf32>) write_memrefs(%arg1 : memref<8xf32>) value_inputs(%arg2 : f32) [original_read_memrefs(%arg0 : memref<8xf32>), original_write_memrefs(%arg1 : memref<8xf32>)] {note = 7 : i64} : (memref<8xf32>, memref<8xf32>, f32) -> (memref<8xf32>, f32) {
  // CHECK-NEXT: ^bb0(%{{.*}}: memref<8xf32>, %[[TO:.*]]: memref<8xf32>, %{{.*}}: f32):
  // CHECK: taskflow.yield writes(%[[TO]] : memref<8xf32>) values(%{{.*}} : f32)
  %w, %s = taskflow.task @Task_0 read_memrefs(%a : memref<8xf32>) write_memrefs(%b : memref<8xf32>) value_inputs(%v : f32) [original_read_memrefs(%a : memref<8xf32>), original_write_memrefs(%b : memref<8xf32>)] {note = 7} : (memref<8xf32>, memref<8xf32>, f32) -> (memref<8xf32>, f32) {
  ^bb0(%from: memref<8xf32>, %to: memref<8xf32>, %init: f32):
    %sum = affine.for %i = 0 to 8 iter_args(%partial = %init) -> (f32) {
      %x = affine.load %from[%i] : memref<8xf32>
      affine.store %x, %to[%i] : memref<8xf32>
      %next = arith.addf %partial, %x : f32
      affine.yield %next : f32
    }
    taskflow.yield writes(%to : memref<8xf32>) values(%sum : f32)
  }

  // The version that comes out of a read, for the task that overwrites it.
  // CHECK: %[[R:.*]] = taskflow.task @Task_1 read_memrefs(%[[W]] : memref<8xf32>) [original_read_memrefs(%arg1 : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  // CHECK: taskflow.yield reads(
  %r = taskflow.task @Task_1 read_memrefs(%w : memref<8xf32>) [original_read_memrefs(%b : memref<8xf32>)] : (memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%from: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %from[%i] : memref<8xf32>
    }
    taskflow.yield reads(%from : memref<8xf32>)
  }
  // CHECK: taskflow.task @Task_2 write_memrefs(%[[R]] : memref<8xf32>) value_inputs(%arg2 : f32) [original_write_memrefs(%arg1 : memref<8xf32>)]
  %w2 = taskflow.task @Task_2 write_memrefs(%r : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%b : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%to: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 8 {
      affine.store %x, %to[%i] : memref<8xf32>
    }
    taskflow.yield writes(%to : memref<8xf32>)
  }
  return %w2, %s : memref<8xf32>, f32
}

// CHECK-LABEL: func @empty
func.func @empty() {
  // CHECK: taskflow.task @"no body" : () -> () {
  // CHECK-NEXT: }
  taskflow.task @"no body" : () -> () {
  }
  return
}
