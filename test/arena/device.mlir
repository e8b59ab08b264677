// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc="arena=argument public" --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse --check-arena-plan | FileCheck %s --check-prefix=REUSE
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --merge-alloc="dynamic=exact" --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Memory that gpu.alloc makes has arenas of its own, which gpu.alloc makes.

module attributes {gpu.container_module} {
gpu.module @device {
  gpu.func @double(%a: memref<64xf32>, %b: memref<64xf32>) kernel {
    %i = gpu.thread_id x
    %v = memref.load %a[%i] : memref<64xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %b[%i] : memref<64xf32>
    gpu.return
  }
}

// Ops without a token are done when the next one begins.
// CHECK-LABEL: func @at_once
// CHECK:       %[[ARENA:.*]] = gpu.alloc () : memref<512xi8>
// CHECK-NOT:   gpu.alloc
// CHECK:       gpu.memcpy %arg1,
// CHECK-NEXT:  gpu.dealloc %[[ARENA]] : memref<512xi8>
// CHECK-NEXT:  return
// REUSE-LABEL: func @at_once
// REUSE:       gpu.alloc () : memref<256xi8>
// REMARK: arena {{.*}}Function=at_once{{.*}}3 buffers of 768 bytes put into one arena of 512 bytes
func.func @at_once(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.launch_func @device::@double blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
  gpu.dealloc %a : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  gpu.launch_func @device::@double blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %c : memref<64xf32>)
  gpu.dealloc %b : memref<64xf32>
  gpu.memcpy %o, %c : memref<64xf32>, memref<64xf32>
  gpu.dealloc %c : memref<64xf32>
  return
}

// An arena of buffers with tokens is made and freed with one, and waited for. What waited for a
// buffer waits for what that waited for.
// CHECK-LABEL: func @behind_a_wait
// CHECK:         %[[BEGIN:.*]] = gpu.wait async
// CHECK:         %[[MAKE:.*]] = gpu.wait async
// CHECK-NEXT:    %[[ARENA:.*]], %[[MADE:.*]] = gpu.alloc async [%[[MAKE]]] () : memref<256xi8>
// CHECK-NEXT:    gpu.wait [%[[MADE]]]
// CHECK:         gpu.memcpy async [%[[BEGIN]]] %[[A:.*]], %{{.*}} :
// CHECK-NEXT:    %[[LAST:.*]] = gpu.memcpy async
// CHECK-NEXT:    gpu.wait [%[[LAST]]]
// CHECK-NEXT:    %[[AGAIN:.*]] = gpu.wait async
// CHECK:         gpu.memcpy async [%[[AGAIN]]]
// CHECK-NEXT:    %[[DONE:.*]] = gpu.memcpy async
// CHECK-NEXT:    gpu.wait [%[[DONE]]]
// CHECK-NEXT:    %[[FREE:.*]] = gpu.wait async
// CHECK-NEXT:    %[[FREED:.*]] = gpu.dealloc async [%[[FREE]]] %[[ARENA]] : memref<256xi8>
// CHECK-NEXT:    gpu.wait [%[[FREED]]]
// CHECK-NEXT:    return
func.func @behind_a_wait(%x: memref<64xf32>, %o: memref<64xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t3 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t4 = gpu.memcpy async [%t3] %o, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%t4]
  %t5 = gpu.wait async
  %b, %t6 = gpu.alloc async [%t5] () : memref<64xf32>
  %t7 = gpu.memcpy async [%t6] %b, %x : memref<64xf32>, memref<64xf32>
  %t8 = gpu.memcpy async [%t7] %o, %b : memref<64xf32>, memref<64xf32>
  %t9 = gpu.dealloc async [%t8] %b : memref<64xf32>
  %t10 = gpu.dealloc async [%t9] %a : memref<64xf32>
  gpu.wait [%t10]
  return
}

// Work of one stream begins when the work in front of it is done: no wait of the host is needed.
// CHECK-LABEL: func @stream
// CHECK:         gpu.alloc async {{.*}} : memref<512xi8>
// REMARK: arena {{.*}}Function=stream{{.*}}4 buffers of 1024 bytes put into one arena of 512 bytes
func.func @stream(%x: memref<64xf32>, %o: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %t0 = gpu.wait async
  %a, %u1 = gpu.alloc async [%t0] () : memref<64xf32>
  %b, %u2 = gpu.alloc async [%u1] () : memref<64xf32>
  %c, %u3 = gpu.alloc async [%u2] () : memref<64xf32>
  %d, %u4 = gpu.alloc async [%u3] () : memref<64xf32>
  %t1 = gpu.memcpy async [%u4] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = gpu.launch_func async [%t1] @device::@double blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<64xf32>, %b : memref<64xf32>)
  %t3 = gpu.launch_func async [%t2] @device::@double blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%b : memref<64xf32>, %c : memref<64xf32>)
  %t4 = gpu.launch_func async [%t3] @device::@double blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%c : memref<64xf32>, %d : memref<64xf32>)
  %t5 = gpu.memcpy async [%t4] %o, %d : memref<64xf32>, memref<64xf32>
  %f1 = gpu.dealloc async [%t5] %a : memref<64xf32>
  %f2 = gpu.dealloc async [%f1] %b : memref<64xf32>
  %f3 = gpu.dealloc async [%f2] %c : memref<64xf32>
  %f4 = gpu.dealloc async [%f3] %d : memref<64xf32>
  gpu.wait [%f4]
  return
}

// Two in each of two streams: each pair has the bytes of one.
// CHECK-LABEL: func @two_streams
// CHECK:         gpu.alloc async {{.*}} : memref<512xi8>
// REMARK: arena {{.*}}Function=two_streams{{.*}}4 buffers of 1024 bytes put into one arena of 512 bytes
func.func @two_streams(%x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %s0 = gpu.wait async
  %t0 = gpu.wait async
  %a, %s1 = gpu.alloc async [%s0] () : memref<64xf32>
  %b, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %s2 = gpu.memcpy async [%s1] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %b, %x : memref<64xf32>, memref<64xf32>
  %s3 = gpu.memcpy async [%s2] %o, %a : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %p, %b : memref<64xf32>, memref<64xf32>
  %s4 = gpu.dealloc async [%s3] %a : memref<64xf32>
  %t4 = gpu.dealloc async [%t3] %b : memref<64xf32>
  %c, %s5 = gpu.alloc async [%s4] () : memref<64xf32>
  %d, %t5 = gpu.alloc async [%t4] () : memref<64xf32>
  %s6 = gpu.memcpy async [%s5] %c, %x : memref<64xf32>, memref<64xf32>
  %t6 = gpu.memcpy async [%t5] %d, %x : memref<64xf32>, memref<64xf32>
  %s7 = gpu.memcpy async [%s6] %o, %c : memref<64xf32>, memref<64xf32>
  %t7 = gpu.memcpy async [%t6] %p, %d : memref<64xf32>, memref<64xf32>
  %s8 = gpu.dealloc async [%s7] %c : memref<64xf32>
  %t8 = gpu.dealloc async [%t7] %d : memref<64xf32>
  gpu.wait [%s8, %t8]
  return
}

// The second stream waits for nothing of the first one.
// CHECK-LABEL: func @not_ordered
// CHECK:         gpu.alloc async {{.*}} : memref<512xi8>
func.func @not_ordered(%x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %s0 = gpu.wait async
  %t0 = gpu.wait async
  %a, %s1 = gpu.alloc async [%s0] () : memref<64xf32>
  %s2 = gpu.memcpy async [%s1] %a, %x : memref<64xf32>, memref<64xf32>
  %s3 = gpu.memcpy async [%s2] %o, %a : memref<64xf32>, memref<64xf32>
  %s4 = gpu.dealloc async [%s3] %a : memref<64xf32>
  %b, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %b, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %p, %b : memref<64xf32>, memref<64xf32>
  %t4 = gpu.dealloc async [%t3] %b : memref<64xf32>
  gpu.wait [%s4, %t4]
  return
}

// An iteration waits for its work before the next one uses the arena again.
// CHECK-LABEL: func @loop
// CHECK:         gpu.alloc async {{.*}} : memref<256xi8>
// CHECK:         scf.for
func.func @loop(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %t0 = gpu.wait async
    %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
    %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
    %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
    %b, %t4 = gpu.alloc async [%t3] () : memref<64xf32>
    %t5 = gpu.memcpy async [%t4] %b, %o : memref<64xf32>, memref<64xf32>
    %t6 = gpu.memcpy async [%t5] %x, %b : memref<64xf32>, memref<64xf32>
    %t7 = gpu.dealloc async [%t6] %a : memref<64xf32>
    %t8 = gpu.dealloc async [%t7] %b : memref<64xf32>
    gpu.wait [%t8]
  }
  return
}

// Two buffers take turns in streams that the loop carries. Behind the wait for the last tokens, another
// one has their bytes.
// REMARK: arena {{.*}}Function=turns{{.*}}3 buffers of 768 bytes put into one arena of 512 bytes
// CHECK-LABEL: func @turns
// CHECK:         gpu.alloc async {{.*}} : memref<512xi8>
// CHECK-NOT:     gpu.alloc
func.func @turns(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %b, %t2 = gpu.alloc async [%t1] () : memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %a, %x : memref<64xf32>, memref<64xf32>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t3, %t = %t3, %now = %a, %next = %b) -> (!gpu.async.token, !gpu.async.token, memref<64xf32>, memref<64xf32>) {
    %f = gpu.memcpy async [%t] %next, %x : memref<64xf32>, memref<64xf32>
    %u = gpu.memcpy async [%s] %o, %now : memref<64xf32>, memref<64xf32>
    scf.yield %f, %u, %next, %now : !gpu.async.token, !gpu.async.token, memref<64xf32>, memref<64xf32>
  }
  gpu.wait [%r#0, %r#1]
  %t4 = gpu.wait async
  %c, %t5 = gpu.alloc async [%t4] () : memref<64xf32>
  %t6 = gpu.memcpy async [%t5] %c, %x : memref<64xf32>, memref<64xf32>
  %t7 = gpu.memcpy async [%t6] %o, %c : memref<64xf32>, memref<64xf32>
  %t8 = gpu.dealloc async [%t7] %c : memref<64xf32>
  %t9 = gpu.dealloc async [%t8] %a : memref<64xf32>
  %t10 = gpu.dealloc async [%t9] %b : memref<64xf32>
  gpu.wait [%t10]
  return
}

// Each iteration waits for the work that the one before has started.
// REMARK: arena {{.*}}Function=next_iteration{{.*}}2 buffers of 512 bytes put into one arena of 512 bytes
// CHECK-LABEL: func @next_iteration
// CHECK:         gpu.alloc async {{.*}} : memref<512xi8>
// CHECK-NOT:     gpu.alloc
func.func @next_iteration(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t3 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t3) -> (!gpu.async.token) {
    gpu.wait [%s]
    %b = gpu.alloc () : memref<64xf32>
    gpu.memcpy %b, %a : memref<64xf32>, memref<64xf32>
    gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
    gpu.dealloc %b : memref<64xf32>
    %q = gpu.wait async
    %u = gpu.memcpy async [%q] %a, %x : memref<64xf32>, memref<64xf32>
    scf.yield %u : !gpu.async.token
  }
  gpu.wait [%r]
  gpu.dealloc %a : memref<64xf32>
  return
}

// What an iteration allocates is used behind the work of the one before: one buffer is enough.
// REMARK: arena {{.*}}Function=inside{{.*}}1 buffers of 256 bytes put into one arena of 256 bytes
// CHECK-LABEL: func @inside
// CHECK:         %[[ARENA:.*]], %{{.*}} = gpu.alloc async {{.*}} : memref<256xi8>
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] =
// CHECK-NOT:       gpu.alloc
// CHECK:           %[[A:.*]] = memref.view %[[ARENA]]
// CHECK:           gpu.memcpy async [%[[T]]] %[[A]],
// CHECK:         }
// CHECK-NEXT:    gpu.wait
// CHECK:         gpu.dealloc
func.func @inside(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !gpu.async.token {
    %b, %v = gpu.alloc async [%t] () : memref<64xf32>
    %w = gpu.memcpy async [%v] %b, %x : memref<64xf32>, memref<64xf32>
    %w2 = gpu.memcpy async [%w] %o, %b : memref<64xf32>, memref<64xf32>
    %w3 = gpu.dealloc async [%w2] %b : memref<64xf32>
    scf.yield %w3 : !gpu.async.token
  }
  gpu.wait [%r]
  return
}

// The second copy into it is not behind the token that is carried.
// REMARK: loop-carried {{.*}}Function=inside_beside
// CHECK-LABEL: func @inside_beside
// CHECK:         scf.for
// CHECK:           gpu.alloc async {{.*}} : memref<64xf32>
func.func @inside_beside(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !gpu.async.token {
    %q = gpu.wait async
    %b, %v = gpu.alloc async [%q] () : memref<64xf32>
    %w = gpu.memcpy async [%v] %b, %x : memref<64xf32>, memref<64xf32>
    %w2 = gpu.memcpy async [%w] %o, %b : memref<64xf32>, memref<64xf32>
    %w3 = gpu.dealloc async [%w2, %t] %b : memref<64xf32>
    scf.yield %w3 : !gpu.async.token
  }
  gpu.wait [%r]
  return
}

// An outer loop carries the token, too, and its next iteration begins beside it.
// REMARK: loop-carried {{.*}}Function=inside_twice
// CHECK-LABEL: func @inside_twice
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK:           gpu.alloc async {{.*}} : memref<64xf32>
func.func @inside_twice(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %q = scf.for %j = %c0 to %n step %c1 iter_args(%s = %t0) -> !gpu.async.token {
    %t1 = gpu.wait async
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t1) -> !gpu.async.token {
      %b, %v = gpu.alloc async [%t] () : memref<64xf32>
      %w = gpu.memcpy async [%v] %b, %x : memref<64xf32>, memref<64xf32>
      %w2 = gpu.memcpy async [%w] %o, %b : memref<64xf32>, memref<64xf32>
      %w3 = gpu.dealloc async [%w2] %b : memref<64xf32>
      scf.yield %w3 : !gpu.async.token
    }
    %both = gpu.wait async [%s, %r]
    scf.yield %both : !gpu.async.token
  }
  gpu.wait [%q]
  return
}

// A dealloc of several tokens, and an op without one that waits for some.
// CHECK-LABEL: func @tokens_of_what_goes
// CHECK:         %[[T0:.*]] = gpu.wait async
// CHECK:         %[[T1:.*]] = gpu.memcpy async [%[[T0]]]
// CHECK:         %[[T2:.*]] = gpu.memcpy async [%[[T0]]]
// CHECK-NEXT:    %[[BOTH:.*]] = gpu.wait async [%[[T1]], %[[T2]]]
// CHECK-NEXT:    gpu.wait [%[[BOTH]]]
// CHECK:         return
func.func @tokens_of_what_goes(%x: memref<64xf32>, %o: memref<64xf32>) {
  %t0 = gpu.wait async
  %a, %u = gpu.alloc async [%t0] () : memref<64xf32>
  %b, %v = gpu.alloc async [%t0] () : memref<64xf32>
  %t1 = gpu.memcpy async [%u] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = gpu.memcpy async [%v] %b, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.dealloc async [%t1, %t2] %a : memref<64xf32>
  gpu.wait [%t3]
  gpu.dealloc %b : memref<64xf32>
  return
}

// An op without a token is done, and what its tokens stand for, when the next one begins.
// CHECK-LABEL: func @at_once_behind_tokens
// CHECK:         gpu.alloc () : memref<256xi8>
// CHECK-NOT:     gpu.alloc
// CHECK:         return
func.func @at_once_behind_tokens(%x: memref<64xf32>, %o: memref<64xf32>) {
  %t0 = gpu.wait async
  %a = gpu.alloc () : memref<64xf32>
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %o, %a : memref<64xf32>, memref<64xf32>
  gpu.dealloc [%t2] %a : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  %t3 = gpu.memcpy async [%t0] %b, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy [%t3] %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %b : memref<64xf32>
  return
}

// Only its tokens tell that %b could have the bytes of %a, which nothing frees: it is alone.
// REUSE-LABEL: func @alone
// REUSE-NOT:     xi8>
// REUSE:         return
func.func @alone(%x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>) {
  %s0 = gpu.wait async
  %t0 = gpu.wait async
  %c, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %c, %x : memref<64xf32>, memref<64xf32>
  %a, %s1 = gpu.alloc async [%s0] () : memref<64xf32>
  %s2 = gpu.memcpy async [%s1] %a, %x : memref<64xf32>, memref<64xf32>
  %s3 = gpu.memcpy async [%s2] %o, %a : memref<64xf32>, memref<64xf32>
  %b, %s4 = gpu.alloc async [%s3] () : memref<64xf32>
  %s5 = gpu.memcpy async [%s4] %b, %x : memref<64xf32>, memref<64xf32>
  %s6 = gpu.memcpy async [%s5] %o, %b : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %p, %c : memref<64xf32>, memref<64xf32>
  %s7 = gpu.dealloc async [%s6] %b : memref<64xf32>
  gpu.wait [%s7, %t3]
  return
}

// The host's memory, another space and what the host shares have other arenas.
// CHECK-LABEL: func @apart
// CHECK-DAG:     gpu.alloc () : memref<256xi8>
// CHECK-DAG:     gpu.alloc host_shared () : memref<128xi8>
// CHECK-DAG:     gpu.alloc () : memref<192xi8, 1>
// CHECK-NOT:     gpu.alloc
func.func @apart(%x: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %a = gpu.alloc () : memref<64xf32>
  %b = gpu.alloc host_shared () : memref<32xf32>
  %c = gpu.alloc () : memref<48xf32, 1>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  memref.store %v, %b[%c0] : memref<32xf32>
  gpu.memset %c, %v : memref<48xf32, 1>, f32
  gpu.dealloc %a : memref<64xf32>
  gpu.dealloc %b : memref<32xf32>
  gpu.dealloc %c : memref<48xf32, 1>
  return
}

// The heap is not asked, also where a path frees the memory and goes on.
// REMARK: arena {{.*}}Function=two_ends{{.*}}heap at the function's peak: 0 bytes, before 0
// CHECK-LABEL: func @two_ends
// CHECK-COUNT-2: gpu.dealloc
func.func @two_ends(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1) {
  %a = gpu.alloc () : memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  cf.cond_br %bit, ^short, ^long
^short:
  gpu.dealloc %a : memref<64xf32>
  return
^long:
  %b = gpu.alloc () : memref<64xf32>
  gpu.memcpy %b, %a : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %b : memref<64xf32>, memref<64xf32>
  gpu.dealloc %b : memref<64xf32>
  gpu.dealloc %a : memref<64xf32>
  return
}

// REMARK: dynamic-device {{.*}}Function=dynamic
// CHECK-LABEL: func @dynamic
// CHECK:         gpu.alloc (%{{.*}}) : memref<?xf32>
// CHECK:         gpu.dealloc
func.func @dynamic(%x: memref<?xf32>, %n: index) {
  %a = gpu.alloc (%n) : memref<?xf32>
  gpu.memcpy %a, %x : memref<?xf32>, memref<?xf32>
  gpu.dealloc %a : memref<?xf32>
  return
}

// Nothing waits for the copy.
// REMARK: asynchronous {{.*}}Function=no_wait
// CHECK-LABEL: func @no_wait
// CHECK:         gpu.alloc async {{.*}} : memref<64xf32>
// CHECK:         gpu.dealloc async {{.*}} : memref<64xf32>
func.func @no_wait(%x: memref<64xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.dealloc async [%t2] %a : memref<64xf32>
  return
}

// REMARK: shared-dealloc {{.*}}Function=host_or_device
// CHECK-LABEL: func @host_or_device
// CHECK:         gpu.alloc () : memref<64xf32>
// CHECK:         memref.alloc() : memref<64xf32>
func.func @host_or_device(%x: memref<64xf32>, %bit: i1) {
  %a = gpu.alloc () : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = arith.select %bit, %a, %b : memref<64xf32>
  gpu.memcpy %c, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.dealloc %c : memref<64xf32>
  return
}
}
