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
