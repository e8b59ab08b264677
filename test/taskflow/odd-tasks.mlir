// Tasks that no conversion makes: each pair is fused, or has its reason, and all of them go back.
// RUN: stowage-opt %s --memory-access-streaming-fusion=report=text -o %t 2>&1 | FileCheck %s
// RUN: stowage-opt %t --convert-taskflow-to-affine -allow-unregistered-dialect | FileCheck %s --check-prefix=BACK
// BACK-NOT: taskflow

// CHECK-LABEL: @empty_tasks
// CHECK-NEXT: before 2 tasks
// CHECK-NEXT: after 2 tasks
func.func @empty_tasks() {
  taskflow.task @a : () -> () {
  }
  taskflow.task @b : () -> () {
  }
  return
}

// CHECK-LABEL: @no_loop
// CHECK: @a and @b stay two (no-nest)
func.func @no_loop(%v: f32) -> f32 {
  %t = memref.alloc() : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.store %x, %m[0] : memref<8xf32>
    taskflow.yield writes(%m : memref<8xf32>)
  }
  %s = taskflow.task @b read_memrefs(%w : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>)] : (memref<8xf32>) -> (f32) {
  ^bb0(%m: memref<8xf32>):
    %x = affine.load %m[0] : memref<8xf32>
    taskflow.yield values(%x : f32)
  }
  return %s : f32
}

// CHECK-LABEL: @several_loops
// CHECK: @a and @b stay two (no-nest)
func.func @several_loops(%v: f32) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 4 {
      affine.store %x, %m[%i] : memref<8xf32>
    }
    affine.for %i = 4 to 8 {
      affine.store %x, %m[%i] : memref<8xf32>
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  %u = taskflow.task @b read_memrefs(%w : memref<8xf32>) write_memrefs(%r : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  return %u : memref<8xf32>
}

// CHECK-LABEL: @scf_inside
// CHECK: @a and @b stay two (no-nest)
func.func @scf_inside(%v: f32) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %x, %m[%i] : memref<8xf32>
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  %u = taskflow.task @b read_memrefs(%w : memref<8xf32>) write_memrefs(%r : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  return %u : memref<8xf32>
}

// CHECK-LABEL: @unknown_op_inside
// CHECK: @a and @b stay two (unknown-effects): one of the tasks holds an op whose effects are unknown: {{.*}}odd-tasks.mlir:[[@LINE+9]]:
func.func private @f()
func.func @unknown_op_inside(%v: f32) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 8 {
      affine.store %x, %m[%i] : memref<8xf32>
      func.call @f() : () -> ()
    }
    taskflow.yield writes(%m : memref<8xf32>)
  }
  %u = taskflow.task @b read_memrefs(%w : memref<8xf32>) write_memrefs(%r : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  return %u : memref<8xf32>
}

// In a block of its own, and in tasks of tasks.
// CHECK-LABEL: @nested
// CHECK-NEXT: before 4 tasks
// CHECK: round 1: @in_a_in_b_fused
// CHECK: @outer and @after stay two (no-nest)
func.func @nested(%v: f32, %n: index) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = memref.alloc() : memref<8xf32>
  scf.for %k = %c0 to %n step %c1 {
    %w = taskflow.task @outer write_memrefs(%r : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
    ^bb0(%m: memref<8xf32>, %x: f32):
      %t = memref.alloc() : memref<8xf32>
      %a = taskflow.task @in_a write_memrefs(%t : memref<8xf32>) value_inputs(%x : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>) {
      ^bb0(%m1: memref<8xf32>, %x1: f32):
        affine.for %i = 0 to 8 {
          affine.store %x1, %m1[%i] : memref<8xf32>
        }
        taskflow.yield writes(%m1 : memref<8xf32>)
      }
      %b = taskflow.task @in_b read_memrefs(%a : memref<8xf32>) write_memrefs(%m : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%m : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
      ^bb0(%m1: memref<8xf32>, %m2: memref<8xf32>):
        affine.for %i = 0 to 8 {
          %y = affine.load %m1[%i] : memref<8xf32>
          affine.store %y, %m2[%i] : memref<8xf32>
        }
        taskflow.yield writes(%m2 : memref<8xf32>)
      }
      memref.dealloc %t : memref<8xf32>
      taskflow.yield writes(%m : memref<8xf32>)
    }
    taskflow.task @after read_memrefs(%w : memref<8xf32>) [original_read_memrefs(%r : memref<8xf32>)] : (memref<8xf32>) -> () {
    ^bb0(%m: memref<8xf32>):
      affine.for %i = 0 to 8 {
        %y = affine.load %m[%i] : memref<8xf32>
      }
    }
  }
  return %r : memref<8xf32>
}

// The same value twice, arguments nobody uses, a result nobody takes.
// CHECK-LABEL: @doubled
// CHECK: round 1: @a_b_fused
func.func @doubled(%v: f32) -> memref<8xf32> {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w, %q = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v, %v : f32, f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32, f32) -> (memref<8xf32>, f32) {
  ^bb0(%m: memref<8xf32>, %x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    affine.for %i = 0 to 8 {
      affine.store %z, %m[%i] : memref<8xf32>
    }
    taskflow.yield writes(%m : memref<8xf32>) values(%z : f32)
  }
  %u = taskflow.task @b read_memrefs(%w : memref<8xf32>) write_memrefs(%r : memref<8xf32>) value_inputs(%v : f32) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>, f32) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>, %unused: f32):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  return %u : memref<8xf32>
}

// A task may yield what it takes: so does the fused one.
// CHECK-LABEL: @yields_its_input
// CHECK: round 1: @a_b_fused
// BACK-LABEL: @yields_its_input
// BACK-SAME: %[[V:.*]]: f32
// BACK: return %[[V]], %{{.*}} : f32, memref<8xf32>
func.func @yields_its_input(%v: f32) -> (f32, memref<8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  %r = memref.alloc() : memref<8xf32>
  %w, %z = taskflow.task @a write_memrefs(%t : memref<8xf32>) value_inputs(%v : f32) [original_write_memrefs(%t : memref<8xf32>)] : (memref<8xf32>, f32) -> (memref<8xf32>, f32) {
  ^bb0(%m: memref<8xf32>, %x: f32):
    affine.for %i = 0 to 8 {
      affine.store %x, %m[%i] : memref<8xf32>
    }
    taskflow.yield writes(%m : memref<8xf32>) values(%x : f32)
  }
  %u = taskflow.task @b read_memrefs(%w : memref<8xf32>) write_memrefs(%r : memref<8xf32>) [original_read_memrefs(%t : memref<8xf32>), original_write_memrefs(%r : memref<8xf32>)] : (memref<8xf32>, memref<8xf32>) -> (memref<8xf32>) {
  ^bb0(%m: memref<8xf32>, %n: memref<8xf32>):
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i] : memref<8xf32>
      affine.store %x, %n[%i] : memref<8xf32>
    }
    taskflow.yield writes(%n : memref<8xf32>)
  }
  return %z, %u : f32, memref<8xf32>
}
