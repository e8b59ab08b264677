// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of examples/dialect that allocate. What one says by AllocationOpInterface makes it what
// memref.alloc is.

// One arena for both: they do not live at the same time. Deallocated or not, the arena is one.
// PLAN-LABEL: func @planned
// PLAN-NOT:     downstream.alloc
// PLAN:         memref.alloc() {{.*}} : memref<32xi8>
// PLAN-NOT:     memref.alloc
// PLAN:         memref.dealloc
// PLAN-NOT:     memref.dealloc
// PLAN:         return
// FREE-LABEL: func @planned
// FREE:         %[[A:.*]] = "downstream.alloc"
// FREE:         memref.dealloc %[[A]]
// FREE:         %[[B:.*]] = "downstream.alloc"
// FREE:         memref.dealloc %[[B]]
// STACK-LABEL: func @planned
// STACK-NOT:     downstream.alloc
// STACK:         memref.alloca
// STACK:         memref.alloca
func.func @planned(%x: f32, %q: memref<8xf32>) {
  %a = "downstream.alloc"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  memref.copy %a, %q : memref<8xf32> to memref<8xf32>
  %b = "downstream.alloc"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  return
}

// Both are needed at the same time.
// MERGE-LABEL: func @together
// MERGE:         memref.alloc() {{.*}} : memref<96xi8>
func.func @together(%x: f32, %q: memref<8xf32>) {
  %a = "downstream.alloc"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %b = "downstream.alloc"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>) outs(%q : memref<8xf32>)
  return
}

// It moves out of the loop, as it says it may.
// HOIST-LABEL: func @looped
// HOIST:         downstream.alloc
// HOIST:         scf.for
// HOIST-NOT:     downstream.alloc
// HOIST:         return
func.func @looped(%x: f32, %n: index, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = "downstream.alloc"() : () -> memref<8xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    memref.dealloc %a : memref<8xf32>
  }
  return
}

// Only its effects tell of this one, or the sizes are not known by the type.
// PLAN-LABEL: func @left_alone
// PLAN:         "downstream.take"
// PLAN:         "downstream.alloc"
// FREE-LABEL: func @left_alone
// FREE:         "downstream.take"
// FREE-NOT:     memref.dealloc
// FREE:         return
func.func @left_alone(%x: f32, %q: memref<8xf32>) -> memref<?xf32> {
  %a = "downstream.take"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  memref.copy %a, %q : memref<8xf32> to memref<8xf32>
  %b = "downstream.alloc"() : () -> memref<?xf32>
  return %b : memref<?xf32>
}

// What says that an op of its own frees it is freed by that, once; not where a branch or a call may
// hand it to somebody who cannot tell it from what memref.alloc makes.
// OWN-LABEL: func @own
// OWN:         %[[A:.*]] = "downstream.acquire"
// OWN-NEXT:    linalg.fill
// OWN-NEXT:    memref.subview
// OWN-NEXT:    memref.copy
// OWN-NEXT:    "downstream.release"(%[[A]])
// OWN-NEXT:    scf.if
// OWN-NEXT:      %[[B:.*]] = "downstream.acquire"
// OWN-NEXT:      linalg.fill
// OWN-NEXT:      "downstream.release"(%[[B]])
// OWN-NEXT:    }
// OWN-NEXT:    %[[C:.*]] = "downstream.acquire"
// OWN-NEXT:    linalg.fill
// OWN-NEXT:    "downstream.release"(%[[C]])
// OWN-NEXT:    return
func.func @own(%x: f32, %c: i1, %q: memref<4xf32>) {
  %a = "downstream.acquire"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %v = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %v, %q : memref<4xf32, strided<[1]>> to memref<4xf32>
  scf.if %c {
    %b = "downstream.acquire"() : () -> memref<8xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  }
  %d = "downstream.acquire"() : () -> memref<8xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<8xf32>)
  "downstream.release"(%d) : (memref<8xf32>) -> ()
  return
}

// SAID: Function=left_alone | Reason="it is not known how to free what this op allocates
// SAID-NOT: Function=own |
// SAID: Function=own_forwarded | Reason="an op of its own frees it, and code that a branch, a loop or a call gives it to cannot tell it from a memref.alloc; free it in the program"
// OWN-LABEL: func @own_forwarded
// OWN-NOT:     downstream.release
func.func @own_forwarded(%x: f32, %c: i1, %q: memref<8xf32>) {
  %a = "downstream.acquire"() : () -> memref<8xf32>
  %r = scf.if %c -> memref<8xf32> {
    scf.yield %a : memref<8xf32>
  } else {
    %b = memref.alloc() : memref<8xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
    scf.yield %b : memref<8xf32>
  }
  memref.copy %r, %q : memref<8xf32> to memref<8xf32>
  return
}

// The same for memory of a workgroup.
// MERGE-LABEL: gpu.func @workgroup
// MERGE-SAME:    workgroup(%{{.*}} : memref<32xi8, #gpu.address_space<workgroup>>
// MERGE-NOT:     downstream.alloc
// MERGE:         gpu.return
gpu.module @kernels {
  gpu.func @workgroup(%x: f32) kernel {
    %t = gpu.thread_id x
    %a = "downstream.alloc"() : () -> memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %x, %a[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %b = "downstream.alloc"() : () -> memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
