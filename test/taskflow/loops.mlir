// Other loops than affine.for that become tasks, and those that stay as they are, with the reason.
// RUN: stowage-opt %s --convert-affine-to-taskflow=parallel-loops --convert-taskflow-to-affine | FileCheck %s
// RUN: stowage-opt %s --convert-affine-to-taskflow=parallel-loops | FileCheck %s --check-prefix=TASKS
// RUN: stowage-opt %s --convert-affine-to-taskflow=parallel-loops --remarks-filter=convert-affine-to-taskflow --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID --implicit-check-not=remark:
// RUN: stowage-opt %s --convert-affine-to-taskflow | FileCheck %s --check-prefix=PLAIN
// RUN: stowage-opt %s --convert-affine-to-taskflow --remarks-filter=convert-affine-to-taskflow --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNASKED

// A loop that carries a value, of constant bounds; its accesses are raised, too.
// TASKS-LABEL: func @scf_for
// TASKS: taskflow.task @Task_0
// CHECK-LABEL: func @scf_for
// CHECK: %[[S:.*]] = affine.for %[[I:.*]] = 0 to 8 step 2 iter_args(%[[P:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = affine.load %{{.*}}[%[[I]]] : memref<8xf32>
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[P]], %[[X]] : f32
// CHECK-NEXT: affine.yield %[[N]] : f32
// CHECK: return %[[S]]
// PLAIN-LABEL: func @scf_for
// PLAIN: taskflow.task @Task_0
func.func @scf_for(%a: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c2 iter_args(%p = %zero) -> (f32) {
    %x = memref.load %a[%i] : memref<8xf32>
    %n = arith.addf %p, %x : f32
    scf.yield %n : f32
  }
  return %s : f32
}

// Bounds of arguments, of a variable of the loop around, and of a tile that may be cut short.
// CHECK-LABEL: func @scf_bounds
// CHECK-SAME: %[[N:.*]]: index
// CHECK: affine.for %[[I:.*]] = 0 to %[[N]] step 4 {
// CHECK: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to min #{{.*}}(%[[I]])[%[[N]]] {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[J]]] : memref<?xf32>
func.func @scf_bounds(%n: index, %a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %end = affine.min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n]
    scf.for %j = %i to %end step %c1 {
      memref.store %x, %a[%j] : memref<?xf32>
    }
  }
  return
}

// The first dimension becomes the outer loop.
// CHECK-LABEL: func @scf_parallel
// CHECK: affine.for %[[I:.*]] = 1 to 7 step 3 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to 4 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]] : memref<8x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// PLAIN-LABEL: func @scf_parallel
// PLAIN: scf.parallel
// PLAIN-NOT: taskflow.task
// UNASKED: [[@LINE+7]]:3: remark: [Missed] parallel | Category:convert-affine-to-taskflow | Function=scf_parallel | Reason="its iterations may run at once", Remark="the loop stays as it is", Suggestion="set parallel-loops"
func.func @scf_parallel(%a: memref<8x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  scf.parallel (%i, %j) = (%c1, %c0) to (%c7, %c4) step (%c3, %c1) {
    memref.store %x, %a[%i, %j] : memref<8x4xf32>
  }
  return
}

// Bounds of several results, and a dimension that another loop's variable bounds.
// CHECK-LABEL: func @affine_parallel
// CHECK-SAME: %[[N:.*]]: index
// CHECK: affine.for %[[O:.*]] = 0 to 4 {
// CHECK-NEXT: affine.for %[[I:.*]] = max #{{.*}}(%[[O]])[%[[N]]] to min #{{.*}}(%[[O]])[%[[N]]] step 2 {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to #{{.*}}(%[[O]])[%[[N]]] {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// PLAIN-LABEL: func @affine_parallel
// PLAIN: taskflow.task
// PLAIN: affine.parallel
func.func @affine_parallel(%n: index, %a: memref<?x?xf32>, %x: f32) {
  affine.for %o = 0 to 4 {
    affine.parallel (%i, %j) = (max(%o, symbol(%n) - 8), 0) to (min(%o + 16, symbol(%n)), %o + 1) step (2, 1) {
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: func @reductions
// CHECK: affine.parallel
// CHECK: scf.parallel
// TASKS-LABEL: func @reductions
// TASKS-NOT: taskflow.task
// SAID: [[@LINE+6]]:8: remark: [Missed] reduction | {{.*}}Function=reductions | Reason="it combines values in an order that is not fixed"
// SAID: [[@LINE+9]]:8: remark: [Missed] reduction
func.func @reductions(%a: memref<8xf32>, %zero: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = affine.parallel (%i) = (0) to (8) reduce ("addf") -> f32 {
    %x = affine.load %a[%i] : memref<8xf32>
    affine.yield %x : f32
  }
  %t = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {
    %x = memref.load %a[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%p: f32, %q: f32):
      %r = arith.addf %p, %q : f32
      scf.reduce.return %r : f32
    }
  }
  return %s, %t : f32, f32
}

// A step that is no constant, and an inner bound that is read from memory: the loop around it is a task.
// TASKS-LABEL: func @not_affine
// TASKS: scf.for
// TASKS: taskflow.task @Task_0
// TASKS: affine.for
// TASKS: scf.for
// SAID: [[@LINE+5]]:3: remark: [Missed] not-affine | {{.*}}Function=not_affine | Reason="its bounds are not affine, or its step is no constant"
// SAID: [[@LINE+9]]:5: remark: [Missed] not-affine
func.func @not_affine(%p: memref<?xindex>, %n: index, %a: memref<?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %n {
    memref.store %x, %a[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %end = memref.load %p[%i] : memref<?xindex>
    scf.for %j = %i to %end step %c1 {
      memref.store %x, %a[%j] : memref<?xf32>
    }
  }
  return
}

// What is inside of a loop that stays is not looked at.
// TASKS-LABEL: func @others
// TASKS-NOT: taskflow.task
// TASKS: gpu.barrier
// SAID: [[@LINE+8]]:8: remark: [Missed] carries-memref | {{.*}}Function=others | Reason="it carries a memref"
// SAID: [[@LINE+13]]:3: remark: [Missed] not-index | {{.*}}Function=others | Reason="its variable is no index that is compared with a sign"
// SAID: [[@LINE+15]]:3: remark: [Missed] mapped | {{.*}}Function=others | Reason="its iterations are mapped to processors"
// SAID: [[@LINE+17]]:3: remark: [Missed] barrier | {{.*}}Function=others | Reason="its iterations wait for each other"
func.func @others(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32, %l: i32, %u: i32, %s: i32) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %a) -> (memref<8xf32>) {
    scf.for %j = %c0 to %c8 step %c1 {
      memref.store %x, %m[%j] : memref<8xf32>
    }
    scf.yield %b : memref<8xf32>
  }
  scf.for %i = %l to %u step %s : i32 {
    memref.store %x, %a[%c0] : memref<8xf32>
  }
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %x, %b[%i] : memref<8xf32>
  } {mapping = [#gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    memref.store %x, %b[%i] : memref<8xf32>
    gpu.barrier
  }
  return %r : memref<8xf32>
}
