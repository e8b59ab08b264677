// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
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
