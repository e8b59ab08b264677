// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan --remarks-filter-missed=merge-alloc -o %t.out 2>%t
// RUN: FileCheck %s < %t.out
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not=remark: < %t
// RUN: stowage-opt %s --merge-alloc=poison --check-arena-plan -o /dev/null
// RUN: stowage-opt %s --insert-lifetimes --verify-lifetimes --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation --check-arena-plan | FileCheck %s --check-prefix=FREED

// Work is done where every path from its start has waited for it: %a is in use until then, and %z,
// which comes behind, may have its bytes.

// FREED-LABEL: func.func @in_each_block(
// FREED: async.await
// FREED-NEXT: memref.dealloc
// FREED: async.await
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @in_each_block(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @in_each_block(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  cf.cond_br %c, ^one, ^two
^one:
  async.await %t : !async.token
  cf.br ^end
^two:
  async.await %t : !async.token
  cf.br ^end
^end:
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %q : memref<64xf32> to memref<64xf32>
  return
}

// SAID: remark: [Missed] asynchronous {{.*}}Function=in_one_block
// FREED-LABEL: func.func @in_one_block(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @in_one_block(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  cf.cond_br %c, ^one, ^end
^one:
  async.await %t : !async.token
  cf.br ^end
^end:
  return
}

// No path leaves the loop, and none waits.
// SAID: remark: [Missed] asynchronous {{.*}}Function=endless
func.func @endless(%x: memref<64xf32>, %q: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  cf.br ^on
^on:
  memref.copy %x, %q : memref<64xf32> to memref<64xf32>
  cf.br ^on
}

// Each turn waits for the work of the turn before. %b is beside it.
// FREED-LABEL: func.func @carried(
// FREED: scf.yield
// FREED-NEXT: }
// FREED-NEXT: memref.dealloc
// FREED-NEXT: async.await
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @carried(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @carried(%x: memref<64xf32>, %q: memref<64xf32>, %r: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t0 = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !async.token {
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.copy %b, %r : memref<64xf32> to memref<64xf32>
    async.await %t : !async.token
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    %next = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %next : !async.token
  }
  async.await %last : !async.token
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %r : memref<64xf32> to memref<64xf32>
  return
}

// The buffers are carried, too: a turn works on one and starts work on the other.
// CHECK-LABEL: func.func @rotated(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @rotated(%q: memref<64xf32>, %r: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %t0 = async.execute {
    memref.copy %q, %a : memref<64xf32> to memref<64xf32>
    async.yield
  }
  %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0, %now = %a, %then = %b)
      -> (!async.token, memref<64xf32>, memref<64xf32>) {
    %next = async.execute {
      memref.copy %q, %then : memref<64xf32> to memref<64xf32>
      async.yield
    }
    async.await %t : !async.token
    memref.copy %now, %r : memref<64xf32> to memref<64xf32>
    scf.yield %next, %then, %now : !async.token, memref<64xf32>, memref<64xf32>
  }
  async.await %l#0 : !async.token
  %z = memref.alloc() : memref<64xf32>
  memref.copy %q, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %r : memref<64xf32> to memref<64xf32>
  return
}

// Work of one turn that the next one waits for may still use its buffer when that is made anew.
// SAID: remark: [Missed] loop-carried {{.*}}Function=made_in_the_loop
// FREED-LABEL: func.func @made_in_the_loop(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @made_in_the_loop(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = async.execute {
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !async.token {
    %a = memref.alloc() : memref<64xf32>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    async.await %t : !async.token
    %next = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %next : !async.token
  }
  async.await %last : !async.token
  return
}

// The token of the last turn is waited for, and those before it are lost.
// SAID: remark: [Missed] asynchronous {{.*}}Function=lost_in_the_loop
func.func @lost_in_the_loop(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t0 = async.execute {
    async.yield
  }
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !async.token {
    %next = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    scf.yield %next : !async.token
  }
  async.await %last : !async.token
  return
}

// FREED-LABEL: func.func @group(
// FREED: async.await_all
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @group(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @group(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %t = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    %k = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %q : memref<64xf32> to memref<64xf32>
  return
}

// SAID: remark: [Missed] loop-carried {{.*}}Function=group_of_a_loop
// FREED-LABEL: func.func @group_of_a_loop(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @group_of_a_loop(%x: memref<64xf32>, %q: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = async.create_group %n : !async.group
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32>
    %t = async.execute {
      memref.copy %a, %q : memref<64xf32> to memref<64xf32>
      async.yield
    }
    %k = async.add_to_group %t, %g : !async.token
  }
  async.await_all %g
  return
}

// A GPU's stream.
// FREED-LABEL: func.func @stream(
// FREED: gpu.wait [
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @stream(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @stream(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = scf.if %c -> !gpu.async.token {
    %t = gpu.memcpy async [%t1] %q, %a : memref<64xf32>, memref<64xf32>
    scf.yield %t : !gpu.async.token
  } else {
    scf.yield %t1 : !gpu.async.token
  }
  gpu.wait [%t2]
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %q : memref<64xf32> to memref<64xf32>
  return
}

// One arm leaves the copy out of sight.
// SAID: remark: [Missed] asynchronous {{.*}}Function=half_a_stream
func.func @half_a_stream(%x: memref<64xf32>, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = scf.if %c -> !gpu.async.token {
    scf.yield %t1 : !gpu.async.token
  } else {
    scf.yield %t0 : !gpu.async.token
  }
  gpu.wait [%t2]
  return
}

// FREED-LABEL: func.func @messages(
// FREED: scf.if
// FREED: mpi.wait
// FREED-NEXT: memref.dealloc
// FREED: mpi.wait
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @messages(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @messages(%x: memref<64xf32>, %comm: !mpi.comm, %n: i32, %c: i1) {
  %a = memref.alloc() : memref<64xf32>
  %in = mpi.irecv(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  mpi.wait(%in) : !mpi.request
  %out = mpi.isend(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  scf.if %c {
    mpi.wait(%out) : !mpi.request
  } else {
    %r = mpi.wait(%out) : !mpi.request -> !mpi.retval
  }
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %x : memref<64xf32> to memref<64xf32>
  return
}

// SAID: remark: [Missed] asynchronous {{.*}}Function=message_on_its_way
func.func @message_on_its_way(%comm: !mpi.comm, %n: i32) -> !mpi.request {
  %a = memref.alloc() : memref<64xf32>
  %in = mpi.irecv(%a, %n, %n, %comm) : memref<64xf32>, i32, i32 -> !mpi.request
  return %in : !mpi.request
}

// A transfer is waited for by the next turn, or behind the loop.
// FREED-LABEL: func.func @transfers(
// FREED: scf.for
// FREED: }
// FREED: memref.dma_wait
// FREED-NEXT: memref.dealloc
// CHECK-LABEL: func.func @transfers(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc()
// CHECK: return
func.func @transfers(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  scf.for %i = %c0 to %n step %c1 {
    memref.copy %x, %b : memref<64xf32> to memref<64xf32>
    memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
    memref.copy %a, %x : memref<64xf32> to memref<64xf32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
    memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  }
  memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  %z = memref.alloc() : memref<64xf32>
  memref.copy %x, %z : memref<64xf32> to memref<64xf32>
  memref.copy %z, %x : memref<64xf32> to memref<64xf32>
  return
}

// Two turns may be on their way at once, and which of them the wait is for is not certain.
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfers_that_pile_up
// FREED-LABEL: func.func @transfers_that_pile_up(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @transfers_that_pile_up(%far: memref<64xf32, 1>, %tag: memref<2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  }
  memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  return
}

// The next turn waits for a transfer of a buffer that it has no name of.
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfer_of_the_last_turn
func.func @transfer_of_the_last_turn(%far: memref<64xf32, 1>, %tag: memref<2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
    %a = memref.alloc() : memref<64xf32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  }
  memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
  return
}

// Whether the two tags are one is not known.
// SAID: remark: [Missed] asynchronous {{.*}}Function=two_tags
// SAID: remark: [Missed] asynchronous {{.*}}Function=two_tags
func.func @two_tags(%far: memref<64xf32, 1>, %s: memref<1xi32>, %t: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %s[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  memref.dma_start %far[%c0], %b[%c0], %c64, %t[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<1xi32>
  memref.dma_wait %s[%c0], %c64 : memref<1xi32>
  memref.dma_wait %t[%c0], %c64 : memref<1xi32>
  return
}

// The iterations of a parallel loop are on their way with one element.
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfers_at_once
// FREED-LABEL: func.func @transfers_at_once(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @transfers_at_once(%far: memref<64xf32, 1>, %tag: memref<2xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<64xf32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c1] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
    memref.dma_wait %tag[%c1], %c64 : memref<2xi32>
    scf.reduce
  }
  return
}

// A callee may start a transfer on the same element, by another name of the tag.
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfer_across_call
// FREED-LABEL: func.func @transfer_across_call(
// FREED-NOT: memref.dealloc
// FREED: return
func.func private @starts(memref<64xf32>, memref<2xi32>)
func.func @transfer_across_call(%x: memref<64xf32>, %far: memref<64xf32, 1>, %tag: memref<2xi32>, %other: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  call @starts(%x, %other) : (memref<64xf32>, memref<2xi32>) -> ()
  memref.dma_wait %tag[%c0], %c64 : memref<2xi32>
  return
}

// Work outside of a task is on its way with the task's element.
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfer_beside_task
// SAID: remark: [Missed] asynchronous {{.*}}Function=transfer_beside_task
func.func @transfer_beside_task(%far: memref<64xf32, 1>, %tag: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %b = memref.alloc() : memref<64xf32>
  memref.dma_start %far[%c0], %b[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
  %t = async.execute {
    %a = memref.alloc() : memref<64xf32>
    memref.dma_start %far[%c0], %a[%c0], %c64, %tag[%c0] : memref<64xf32, 1>, memref<64xf32>, memref<2xi32>
    memref.dma_wait %tag[%c0], %c64 : memref<2xi32>
    async.yield
  }
  memref.dma_wait %tag[%c0], %c64 : memref<2xi32>
  async.await %t : !async.token
  return
}

// The block waits for the work of its last execution, whose buffer is another one.
// SAID: remark: [Missed] {{.*}}Function=block_again
// FREED-LABEL: func.func @block_again(
// FREED-NOT: memref.dealloc
// FREED: return
func.func @block_again(%x: memref<64xf32>, %q: memref<64xf32>, %c: i1) {
  %t0 = async.execute { async.yield }
  cf.br ^head(%t0 : !async.token)
^head(%u: !async.token):
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  async.await %u : !async.token
  %t = async.execute {
    memref.copy %a, %q : memref<64xf32> to memref<64xf32>
    async.yield
  }
  cf.cond_br %c, ^head(%t : !async.token), ^exit
^exit:
  async.await %t : !async.token
  return
}
