// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that nothing passes: the blocks could do with fewer bytes, were it not for them.

// RUN: stowage-opt %s --split-input-file --allow-unregistered-dialect --order-for-memory --remarks-filter=order-for-memory 2>&1 >/dev/null | grep remark: | FileCheck %s
// RUN: stowage-opt %s --split-input-file --allow-unregistered-dialect > %t.before
// RUN: stowage-opt %s --split-input-file --allow-unregistered-dialect --order-for-memory > %t.after
// RUN: cmp %t.before %t.after

// CHECK: [Missed] kept | {{.*}}Function=call | Reason=call, Remark="func.call keeps its place: 'func.call' may do anything", Suggestion="inline the function"
// CHECK: [Missed] block | {{.*}}Function=call | Remark="512 bytes alive at the worst moment of the block as before; no order has fewer"
func.func private @g()

func.func @call(%x: memref<64xf32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  func.call @g() : () -> ()
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK: [Missed] kept | {{.*}}Function=unknown | Reason=unknown-effects, Remark="test.what keeps its place: the effects of 'test.what' are not known", Suggestion="give the op memory effects"
func.func @unknown(%x: memref<64xf32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  "test.what"() : () -> ()
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// An op in the op's regions.

// CHECK: [Missed] kept | {{.*}}Function=other | Reason=other-effects, {{.*}}Remark="scf.if keeps its place: 'vector.print' has effects that are tied to no buffer"
func.func @other(%x: memref<64xf32>, %y: memref<f32>, %if: i1) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  scf.if %if {
    vector.print %zero : f32
  }
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK: [Missed] kept | {{.*}}Function=work | Reason=asynchronous, {{.*}}Remark="async.execute keeps its place
// CHECK: [Missed] kept | {{.*}}Function=work | Reason=asynchronous, {{.*}}Remark="async.await keeps its place: 'async.await' starts work that goes on, or waits for it"
func.func @work(%x: memref<64xf32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %token = async.execute {
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    async.yield
  }
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  async.await %token : !async.token
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK: [Missed] kept | {{.*}}Function=atomic | Reason=atomic, {{.*}}Remark="memref.atomic_rmw keeps its place: 'memref.atomic_rmw' is atomic, or volatile: others may see its order"
func.func @atomic(%x: memref<64xf32>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %old = memref.atomic_rmw addf %one, %x[%c0] : (f32, memref<64xf32>) -> f32
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// A name of an op that nobody knows says nothing.
// CHECK: [Missed] kept | {{.*}}Function=named | Reason=unknown-effects, {{.*}}Remark="my.make_fence_nonatomic keeps its place: the effects of 'my.make_fence_nonatomic' are not known", Suggestion="give the op memory effects"
func.func @named(%x: memref<64xf32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  "my.make_fence_nonatomic"(%x) : (memref<64xf32>) -> ()
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// Loads that are neither atomic nor volatile are like others; volatile ones keep their order.
// CHECK-COUNT-2: Function=pointers | Reason=atomic, {{.*}}Remark="llvm.load keeps its place
// CHECK-NEXT: Function=pointers | Reason=atomic, {{.*}}Remark="llvm.cmpxchg keeps its place
// CHECK: Function=pointers | Reason=atomic, {{.*}}Remark="llvm.fence keeps its place
func.func @pointers(%x: memref<64xf32>, %y: memref<f32>, %p: !llvm.ptr) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %0 = llvm.load %p : !llvm.ptr -> i32
  %1 = llvm.load volatile %p : !llvm.ptr -> i32
  %2 = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32
  %3 = llvm.cmpxchg %p, %0, %1 acq_rel monotonic : !llvm.ptr, i32
  llvm.fence seq_cst
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK: [Missed] kept | {{.*}}Function=endless | Reason=may-not-end, {{.*}}Remark="scf.while keeps its place: 'scf.while' may never end"
func.func @endless(%x: memref<64xf32>, %y: memref<f32>, %flag: memref<i1>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  scf.while : () -> () {
    %again = memref.load %flag[] : memref<i1>
    scf.condition(%again)
  } do {
    scf.yield
  }
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return
}

// -----

// CHECK: [Missed] kept | {{.*}}Function=tensors | Reason=tensor, Remark="bufferization.to_tensor keeps its place: 'bufferization.to_tensor' is on tensors, whose memory is not known yet", Suggestion="bufferize first"
func.func @tensors(%x: memref<64xf32>, %y: memref<f32>) -> tensor<64xf32> {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %t = bufferization.to_tensor %x : memref<64xf32> to tensor<64xf32>
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%y : memref<f32>) dimensions = [0]
  return %t : tensor<64xf32>
}

// -----

// A block that nothing reaches stays as it is: views may be views of each other there.

// CHECK: [Analysis] nothing-done | {{.*}}0 blocks
func.func @unreached(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  return
^nowhere:
  %p = memref.cast %q : memref<64xf32> to memref<64xf32>
  %q = memref.cast %p : memref<64xf32> to memref<64xf32>
  linalg.exp ins(%p : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%q : memref<64xf32>)
  cf.br ^nowhere
}
