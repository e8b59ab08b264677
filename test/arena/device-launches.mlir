// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc --check-arena-plan --remarks-filter=merge-alloc 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t
// RUN: stowage-opt %s --gpu-kernel-outlining --merge-alloc --check-arena-plan -o /dev/null

// What a launch does in its region is one piece of work of a stream.

// REMARK: arena {{.*}}Function=stream{{.*}}3 buffers of 768 bytes put into one arena of 512 bytes
// CHECK-LABEL: func @stream
// CHECK:         %[[ARENA:.*]], %{{.*}} = gpu.alloc async {{.*}} : memref<512xi8>
// CHECK:         %[[A:.*]] = memref.view %[[ARENA]][%c0]
// CHECK:         gpu.launch async
// CHECK-NEXT:      memref.load %[[A]][
// CHECK:         %[[C:.*]] = memref.view %[[ARENA]][%c0]
// CHECK:         %[[LAST:.*]] = gpu.launch async
// CHECK:           memref.store %{{.*}}, %[[C]][
func.func @stream(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %b, %t3 = gpu.alloc async [%t2] () : memref<64xf32>
  %t4 = gpu.launch async [%t3] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %a[%tx] : memref<64xf32>
    memref.store %v, %b[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t5 = gpu.dealloc async [%t4] %a : memref<64xf32>
  %c, %t6 = gpu.alloc async [%t5] () : memref<64xf32>
  %t7 = gpu.launch async [%t6] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %b[%tx] : memref<64xf32>
    memref.store %v, %c[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t8 = gpu.memcpy async [%t7] %o, %c : memref<64xf32>, memref<64xf32>
  gpu.wait [%t8]
  return
}

// Each iteration's launch is behind the work of the one before.
// REMARK: arena {{.*}}Function=carried{{.*}}1 buffers of 256 bytes put into one arena of 256 bytes
// CHECK-LABEL: func @carried
// CHECK:         gpu.alloc async {{.*}} : memref<256xi8>
// CHECK:         scf.for
func.func @carried(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> !gpu.async.token {
    %a, %t1 = gpu.alloc async [%t] () : memref<64xf32>
    %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
      %v = memref.load %x[%tx] : memref<64xf32>
      memref.store %v, %a[%tx] : memref<64xf32>
      gpu.terminator
    }
    %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
    %t4 = gpu.dealloc async [%t3] %a : memref<64xf32>
    scf.yield %t4 : !gpu.async.token
  }
  gpu.wait [%r]
  return
}

// The host's memory is in use until the launch is waited for, and its attributions share bytes.
// REMARK: arena {{.*}}Function=host{{.*}}3 buffers of 768 bytes put into one arena of 512 bytes
// REMARK: workgroup {{.*}}Function=host{{.*}}2 workgroup buffers of 512 bytes put into 271 bytes
// CHECK-LABEL: func @host
// CHECK:         memref.view %{{.*}}[%[[ZERO:.*]]][] : memref<512xi8>
// CHECK:         gpu.launch async {{.*}} workgroup(%{{.*}} : memref<271xi8, #gpu.address_space<workgroup>>)
// CHECK:         memref.view %{{.*}}[%c256][] : memref<512xi8>
// CHECK:         gpu.wait
// CHECK-NEXT:    memref.view %{{.*}}[%[[ZERO]]][] : memref<512xi8>
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @host(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  %t = gpu.launch async blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) workgroup(%p : !shared, %q : !shared) {
    %u = memref.load %a[%tx] : memref<64xf32>
    memref.store %u, %p[%tx] : !shared
    gpu.barrier
    %v = memref.load %p[%c0] : !shared
    gpu.barrier
    memref.store %v, %q[%tx] : !shared
    gpu.barrier
    %w = memref.load %q[%c0] : !shared
    memref.store %w, %o[%tx] : memref<64xf32>
    gpu.terminator
  }
  %b = memref.alloc() : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %o : memref<64xf32> to memref<64xf32>
  gpu.wait [%t]
  %c = memref.alloc() : memref<64xf32>
  memref.copy %x, %c : memref<64xf32> to memref<64xf32>
  memref.copy %c, %o : memref<64xf32> to memref<64xf32>
  return
}

// A declared function that keeps nothing is done with the memory of a device as with the host's.
// REMARK: arena {{.*}}Function=calls{{.*}}2 buffers of 512 bytes put into one arena of 256 bytes
// REMARK: passed-to-call {{.*}}Function=calls
func.func private @keeps(memref<64xf32>)
func.func private @keeps_nothing(memref<64xf32> {llvm.nocapture})
func.func @calls() {
  %a = gpu.alloc () : memref<64xf32>
  call @keeps(%a) : (memref<64xf32>) -> ()
  gpu.dealloc %a : memref<64xf32>
  %b = gpu.alloc () : memref<64xf32>
  call @keeps_nothing(%b) : (memref<64xf32>) -> ()
  gpu.dealloc %b : memref<64xf32>
  %c = gpu.alloc () : memref<64xf32>
  call @keeps_nothing(%c) : (memref<64xf32>) -> ()
  gpu.dealloc %c : memref<64xf32>
  return
}

// No token orders the two launches.
// REMARK: arena {{.*}}Function=two_streams{{.*}}2 buffers of 512 bytes put into one arena of 512 bytes
func.func @two_streams(%x: memref<64xf32>, %o: memref<64xf32>, %p: memref<64xf32>, %n: index) {
  %s0 = gpu.wait async
  %t0 = gpu.wait async
  %a, %s1 = gpu.alloc async [%s0] () : memref<64xf32>
  %s2 = gpu.launch async [%s1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    gpu.terminator
  }
  %s3 = gpu.memcpy async [%s2] %o, %a : memref<64xf32>, memref<64xf32>
  %b, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %b[%tx] : memref<64xf32>
    gpu.terminator
  }
  %t3 = gpu.memcpy async [%t2] %p, %b : memref<64xf32>, memref<64xf32>
  gpu.wait [%s3, %t3]
  return
}

// Nothing waits for the launch.
// REMARK: asynchronous {{.*}}Function=never{{.*}} | Reason="'gpu.launch' starts work that may still use it later"
// CHECK-LABEL: func @never
// CHECK:         gpu.alloc async {{.*}} : memref<64xf32>
func.func @never(%x: memref<64xf32>, %p: memref<64xf32>, %n: index) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    gpu.terminator
  }
  %b, %t3 = gpu.alloc async [%t0] () : memref<64xf32>
  %t4 = gpu.memcpy async [%t3] %b, %x : memref<64xf32>, memref<64xf32>
  %t5 = gpu.memcpy async [%t4] %p, %b : memref<64xf32>, memref<64xf32>
  gpu.wait [%t5]
  return
}
