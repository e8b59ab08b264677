// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t

// Buffers used inside regions whose control flow those outside are not told.

// What stays inside the region is freed behind it, whatever names it has there.
// CHECK-LABEL: func.func @yielded_in_forall(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.forall
// CHECK-NOT: dealloc
// CHECK: memref.copy
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @yielded_in_forall(%cond: i1, %buf: memref<22xi64>) {
  %a = memref.alloc() : memref<22xi64>
  memref.copy %buf, %a : memref<22xi64> to memref<22xi64>
  scf.forall (%i) in (5) {
    %same = scf.if %cond -> (memref<22xi64>) {
      scf.yield %a : memref<22xi64>
    } else {
      scf.yield %a : memref<22xi64>
    }
    memref.copy %same, %buf : memref<22xi64> to memref<22xi64>
  }
  return
}

// CHECK-LABEL: func.func @yielded_in_async(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: async.execute
// CHECK: memref.dealloc %{{.*}} {stowage.by_bit}
// CHECK: async.await
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @yielded_in_async(%cond: i1) {
  %a = memref.alloc() : memref<f32>
  %token = async.execute {
    %either = scf.if %cond -> (memref<f32>) {
      %b = memref.alloc() : memref<f32>
      scf.yield %b : memref<f32>
    } else {
      scf.yield %a : memref<f32>
    }
    memref.copy %a, %either : memref<f32> to memref<f32>
    async.yield
  }
  async.await %token : !async.token
  return
}

// What is freed inside by another name is not freed again.
// CHECK-LABEL: func.func @freed_by_another_name(
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed_by_another_name() {
  // REMARK: remark: {{.*}}Function=freed_by_another_name | Reason="it is freed where control flow is not known"
  %a = memref.alloc() : memref<4xf32>
  %token = async.execute {
    %name = memref.cast %a : memref<4xf32> to memref<?xf32>
    memref.dealloc %name : memref<?xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}

// CHECK-LABEL: func.func @freed_behind_a_branch(
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed_behind_a_branch(%cond: i1) {
  // REMARK: remark: {{.*}}Function=freed_behind_a_branch | Reason="it is freed where control flow is not known"
  %a = memref.alloc() : memref<4xf32>
  %token = async.execute {
    %same = scf.if %cond -> (memref<4xf32>) {
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    memref.dealloc %same : memref<4xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}

// CHECK-LABEL: func.func @stored_inside(
// CHECK-NOT: dealloc
// CHECK: return
func.func @stored_inside(%where: memref<memref<f32>>) {
  // REMARK: remark: {{.*}}Function=stored_inside | Reason="its address is stored"
  %a = memref.alloc() : memref<f32>
  scf.forall (%i) in (1) {
    memref.store %a, %where[] : memref<memref<f32>>
  }
  return
}

// CHECK-LABEL: func.func @number_inside(
// CHECK-NOT: dealloc
// CHECK: return
func.func @number_inside(%where: memref<index>) {
  // REMARK: remark: {{.*}}Function=number_inside | Reason="its address becomes a number"
  %a = memref.alloc() : memref<4xf32>
  scf.forall (%i) in (1) {
    %name = memref.cast %a : memref<4xf32> to memref<?xf32>
    %address = memref.extract_aligned_pointer_as_index %name : memref<?xf32> -> index
    memref.store %address, %where[] : memref<index>
  }
  return
}

// Each result of an op in the region is what was yielded in its place, and no other.
// CHECK-LABEL: func.func @yielded_beside_another(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.forall
// CHECK: memref.dealloc %{{.*}}#1
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @yielded_beside_another(%cond: i1, %buf: memref<22xi64>) {
  %a = memref.alloc() : memref<22xi64>
  memref.copy %buf, %a : memref<22xi64> to memref<22xi64>
  scf.forall (%i) in (5) {
    %both:2 = scf.if %cond -> (memref<22xi64>, memref<22xi64>) {
      %b = memref.alloc() : memref<22xi64>
      scf.yield %a, %b : memref<22xi64>, memref<22xi64>
    } else {
      %b = memref.alloc() : memref<22xi64>
      scf.yield %a, %b : memref<22xi64>, memref<22xi64>
    }
    memref.copy %both#0, %both#1 : memref<22xi64> to memref<22xi64>
    memref.dealloc %both#1 : memref<22xi64>
  }
  return
}

// So it is with a loop's arguments, a block's, and the names that are promised to be distinct.
// CHECK-LABEL: func.func @passed_beside_another(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: scf.forall
// CHECK-COUNT-3: memref.dealloc
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @passed_beside_another(%cond: i1, %n: index, %buf: memref<22xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<22xi64>
  memref.copy %buf, %a : memref<22xi64> to memref<22xi64>
  scf.forall (%i) in (5) {
    %b = memref.alloc() : memref<22xi64>
    %l:2 = scf.for %j = %c0 to %n step %c1 iter_args(%x = %a, %y = %b)
        -> (memref<22xi64>, memref<22xi64>) {
      memref.copy %x, %y : memref<22xi64> to memref<22xi64>
      scf.yield %x, %y : memref<22xi64>, memref<22xi64>
    }
    memref.dealloc %l#1 : memref<22xi64>
    %c = memref.alloc() : memref<22xi64>
    %d, %e = memref.distinct_objects %a, %c : memref<22xi64>, memref<22xi64>
    memref.copy %d, %e : memref<22xi64> to memref<22xi64>
    memref.dealloc %e : memref<22xi64>
    scf.execute_region {
      %f = memref.alloc() : memref<22xi64>
      cf.cond_br %cond, ^use(%a, %f : memref<22xi64>, memref<22xi64>), ^use(%a, %f : memref<22xi64>, memref<22xi64>)
    ^use(%x: memref<22xi64>, %y: memref<22xi64>):
      memref.copy %x, %y : memref<22xi64> to memref<22xi64>
      memref.dealloc %y : memref<22xi64>
      scf.yield
    }
  }
  return
}

// Work that is started in a region and not waited for there goes on behind the op.
// CHECK-LABEL: func.func @started_in_forall(
// CHECK-NOT: dealloc
// CHECK: return
func.func @started_in_forall(%buf: memref<4xf32>) {
  // REMARK: remark: {{.*}}Function=started_in_forall | Reason="work that goes on later uses it"
  %a = memref.alloc() : memref<4xf32>
  scf.forall (%i) in (3) {
    %token = async.execute {
      %name = memref.cast %a : memref<4xf32> to memref<?xf32>
      %same = memref.cast %name : memref<?xf32> to memref<4xf32>
      memref.copy %same, %buf : memref<4xf32> to memref<4xf32>
      async.yield
    }
  }
  return
}

// CHECK-LABEL: func.func @started_by_what_is_awaited(
// CHECK-NOT: dealloc
// CHECK: return
func.func @started_by_what_is_awaited(%buf: memref<4xf32>) {
  // REMARK: remark: {{.*}}Function=started_by_what_is_awaited | Reason="work that goes on later uses it"
  %a = memref.alloc() : memref<4xf32>
  %token = async.execute {
    %inner = async.execute {
      memref.copy %a, %buf : memref<4xf32> to memref<4xf32>
      async.yield
    }
    async.yield
  }
  async.await %token : !async.token
  return
}

func.func private @frees(%a: memref<4xf32>) {
  memref.dealloc %a : memref<4xf32>
  return
}
func.func private @keeps(%a: memref<4xf32>, %where: memref<memref<4xf32>>) {
  memref.store %a, %where[] : memref<memref<4xf32>>
  return
}

// CHECK-LABEL: func.func @callee_frees(
// CHECK-NOT: dealloc
// CHECK: return
func.func @callee_frees() {
  // REMARK: remark: {{.*}}Function=callee_frees | Reason="it is freed where control flow is not known"
  %a = memref.alloc() : memref<4xf32>
  scf.forall (%i) in (1) {
    func.call @frees(%a) : (memref<4xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @callee_keeps(
// CHECK-NOT: dealloc
// CHECK: return
func.func @callee_keeps(%where: memref<memref<4xf32>>) {
  // REMARK: remark: {{.*}}Function=callee_keeps | Reason="the function called keeps it, or frees it in some cases only"
  %a = memref.alloc() : memref<4xf32>
  scf.forall (%i) in (1) {
    func.call @keeps(%a, %where) : (memref<4xf32>, memref<memref<4xf32>>) -> ()
  }
  return
}

// The regions of a terminator are no ends of their stretch.
// CHECK-LABEL: func.func @reduction(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NEXT: scf.parallel
// CHECK: %[[B:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[A]], %[[B]]
// CHECK-NEXT: memref.load %[[B]]
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: }
// CHECK: }
// CHECK: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @reduction(%n: index, %c0: index, %c1: index, %zero: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    scf.reduce(%zero : f32) {
    ^bb0(%left: f32, %right: f32):
      %b = memref.alloc() : memref<4xf32>
      memref.copy %a, %b : memref<4xf32> to memref<4xf32>
      %v = memref.load %b[%c0] : memref<4xf32>
      %s = arith.addf %left, %v : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}

// What a region writes of the memory outside shows in what was cloned of it before.
memref.global "private" @state : memref<4xf32> = dense<1.0>
func.func private @writes_state(%x: f32) {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @state : memref<4xf32>
  memref.store %x, %g[%c0] : memref<4xf32>
  return
}

// CHECK-LABEL: func.func @written_in_forall(
// CHECK: scf.if
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
// CHECK: %[[CLONE:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %{{.*}}, %[[CLONE]]
// CHECK: return
func.func @written_in_forall(%c: i1, %x: f32) -> memref<4xf32> {
  // REMARK: remark: {{.*}}Function=written_in_forall |
  %g = memref.get_global @state : memref<4xf32>
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %g : memref<4xf32>
  } else {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %g, %a : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  scf.forall (%i) in (1) {
    func.call @writes_state(%x) : (f32) -> ()
  }
  return %r : memref<4xf32>
}

// What awaited work gives is not freed by it.
// CHECK-LABEL: func.func @given_by_work(
// CHECK-NOT: dealloc
// CHECK: return
func.func @given_by_work(%out: memref<4xf32>) {
  // REMARK: remark: {{.*}}Function=given_by_work | Reason="it is yielded where control flow is not known"
  %token, %value = async.execute -> !async.value<memref<4xf32>> {
    %a = memref.alloc() : memref<4xf32>
    async.yield %a : memref<4xf32>
  }
  %m = async.await %value : !async.value<memref<4xf32>>
  memref.copy %m, %out : memref<4xf32> to memref<4xf32>
  return
}

// What an op is given may be freed in its regions by the name that it has there.
// CHECK-LABEL: func.func @freed_as_an_argument(
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @freed_as_an_argument() {
  // REMARK: remark: {{.*}}Function=freed_as_an_argument | Reason="it is freed where control flow is not known"
  %a = memref.alloc() : memref<4xf32>
  "u.with"(%a) ({
  ^bb0(%name: memref<4xf32>):
    memref.dealloc %name : memref<4xf32>
    "u.end"() : () -> ()
  }) : (memref<4xf32>) -> ()
  return
}
