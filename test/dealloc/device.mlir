// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: <%t
// RUN: stowage-opt %s --buffer-deallocation -o %t.1
// RUN: stowage-opt %t.1 --buffer-deallocation | diff %t.1 -
// RUN: stowage-opt %s --buffer-deallocation --buffer-reuse=pool-all --check-arena-plan -o /dev/null

// What gpu.alloc makes is freed behind the waits for all work that uses it.

// No op tells when a launch on a stream object is done.
// CHECK-LABEL: func @on_object
// CHECK-NOT:     gpu.dealloc
// CHECK:         return
// REMARK: remark: [Missed] left-alone {{.*}}Function=on_object | Reason="work that goes on later uses it", Remark="no dealloc is placed for this buffer, because of 'gpu.launch_func'"
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: memref<64xf32>) kernel {
      gpu.return
    }
  }
  func.func @on_object(%x: memref<64xf32>, %stream: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    %a = gpu.alloc () : memref<64xf32>
    gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
    gpu.launch_func <%stream : !llvm.ptr> @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
    return
  }
}

// CHECK-LABEL: func @at_once
// CHECK:         gpu.memcpy %arg1, %[[A:.*]] :
// CHECK-NEXT:    gpu.dealloc %[[A]] : memref<64xf32>
// CHECK-NEXT:    return
func.func @at_once(%x: memref<64xf32>, %o: memref<64xf32>) {
  %a = gpu.alloc () : memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: func @at_once_behind_tokens
// CHECK:         gpu.memcpy [%{{.*}}] %arg1, %[[A:.*]] :
// CHECK-NEXT:    gpu.dealloc %[[A]] : memref<64xf32>
func.func @at_once_behind_tokens(%x: memref<64xf32>, %o: memref<64xf32>) {
  %a = gpu.alloc () : memref<64xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
  gpu.memcpy [%t1] %o, %a : memref<64xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: func @stream
// CHECK:         %[[A:.*]], %{{.*}} = gpu.alloc async
// CHECK:         %[[LAST:.*]] = gpu.memcpy async {{.*}} %arg1, %[[A]]
// CHECK-NEXT:    gpu.wait [%[[LAST]]]
// CHECK-NEXT:    %[[FREE:.*]] = gpu.wait async
// CHECK-NEXT:    %[[FREED:.*]] = gpu.dealloc async [%[[FREE]]] %[[A]] : memref<64xf32>
// CHECK-NEXT:    gpu.wait [%[[FREED]]]
// CHECK-NEXT:    memref.copy
func.func @stream(%x: memref<64xf32>, %o: memref<64xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  %t3 = gpu.memcpy async [%t2] %o, %a : memref<64xf32>, memref<64xf32>
  gpu.wait [%t3]
  memref.copy %x, %o : memref<64xf32> to memref<64xf32>
  return
}

// Made, and waited for, but not used: the wait for the token is its last use.
// CHECK-LABEL: func @not_used
// CHECK:         %[[A:.*]], %[[T:.*]] = gpu.alloc async
// CHECK-NEXT:    gpu.wait [%[[T]]]
// CHECK-NEXT:    gpu.wait async
// CHECK-NEXT:    gpu.dealloc async {{.*}} %[[A]]
func.func @not_used() {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  gpu.wait [%t1]
  return
}

// REMARK: remark: [Missed] left-alone {{.*}}Function=no_wait | Reason="not every path waits for the token that it gives"
// CHECK-LABEL: func @no_wait
// CHECK-NOT:     gpu.dealloc
// CHECK:         return
func.func @no_wait(%x: memref<64xf32>, %o: memref<64xf32>) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.memcpy async [%t1] %a, %x : memref<64xf32>, memref<64xf32>
  return
}

// A token goes around a loop: the buffer from outside is freed behind the wait for the last one.
// CHECK-LABEL: func @carried_token
// CHECK:         %[[A:.*]], %{{.*}} = gpu.alloc async
// CHECK:         scf.for
// CHECK:           gpu.wait [%{{.*}}]
// CHECK-NEXT:      gpu.wait async
// CHECK-NEXT:      gpu.dealloc async
// CHECK:           scf.yield
// CHECK:         gpu.wait [%{{.*}}]
// CHECK-NEXT:    gpu.wait async
// CHECK-NEXT:    gpu.dealloc async {{.*}} %[[A]] : memref<64xf32>
// CHECK-NEXT:    gpu.wait
// CHECK-NEXT:    return
func.func @carried_token(%x: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t1) -> !gpu.async.token {
    %t2 = gpu.memcpy async [%t] %a, %x : memref<64xf32>, memref<64xf32>
    %b, %t3 = gpu.alloc async [%t2] () : memref<64xf32>
    %t4 = gpu.memcpy async [%t3] %b, %a : memref<64xf32>, memref<64xf32>
    %t5 = gpu.memcpy async [%t4] %o, %b : memref<64xf32>, memref<64xf32>
    gpu.wait [%t5]
    %t6 = gpu.wait async
    %t7 = gpu.memcpy async [%t6] %o, %a : memref<64xf32>, memref<64xf32>
    scf.yield %t7 : !gpu.async.token
  }
  gpu.wait [%r]
  return
}

// Each path waits, and frees.
// CHECK-LABEL: func @either
// CHECK:         scf.if
// CHECK:           gpu.wait [%{{.*}}]
// CHECK-NEXT:      gpu.dealloc
// CHECK-NEXT:    } else {
// CHECK-NEXT:      gpu.memcpy
// CHECK-NEXT:      gpu.dealloc
// CHECK-NEXT:    }
func.func @either(%x: memref<64xf32>, %o: memref<64xf32>, %c: i1) {
  %a = gpu.alloc () : memref<64xf32>
  scf.if %c {
    %t0 = gpu.wait async
    %t2 = gpu.memcpy async [%t0] %a, %x : memref<64xf32>, memref<64xf32>
    gpu.wait [%t2]
  } else {
    gpu.memcpy %o, %a : memref<64xf32>, memref<64xf32>
  }
  return
}

// The program frees it.
// CHECK-LABEL: func @freed
// CHECK-COUNT-1: gpu.dealloc
// CHECK-NOT:     gpu.dealloc
// CHECK:         return
func.func @freed(%x: memref<64xf32>) {
  %a = gpu.alloc () : memref<64xf32>
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  gpu.dealloc %a : memref<64xf32>
  return
}

// Code behind a call cannot tell it from what memref.alloc makes.
// REMARK: remark: [Missed] left-alone {{.*}}Function=called | Reason="an op of its own frees it
// CHECK-LABEL: func @called
// CHECK-NOT:     gpu.dealloc
func.func @called(%x: memref<64xf32>) {
  %a = gpu.alloc () : memref<64xf32>
  call @callee(%a, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @callee(%a: memref<64xf32>, %x: memref<64xf32>) {
  gpu.memcpy %a, %x : memref<64xf32>, memref<64xf32>
  return
}

// A launch whose token is waited for is done then.
// CHECK-LABEL: func @launch
// CHECK:         %[[A:.*]], %{{.*}} = gpu.alloc async
// CHECK:         %[[DONE:.*]] = gpu.launch async
// CHECK:         gpu.wait [%[[DONE]]]
// CHECK-NEXT:    %[[FREE:.*]] = gpu.wait async
// CHECK-NEXT:    %[[FREED:.*]] = gpu.dealloc async [%[[FREE]]] %[[A]] : memref<64xf32>
// CHECK-NEXT:    gpu.wait [%[[FREED]]]
// CHECK-NEXT:    return
func.func @launch(%x: memref<64xf32>, %n: index) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  %t2 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    gpu.terminator
  }
  gpu.wait [%t2]
  return
}

// REMARK: remark: [Missed] left-alone {{.*}}Function=launch_not_awaited | Reason="work that goes on later uses it"
// CHECK-LABEL: func @launch_not_awaited
// CHECK-NOT:     gpu.dealloc
// CHECK:         return
func.func @launch_not_awaited(%x: memref<64xf32>, %n: index) {
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
  gpu.wait [%t1]
  %t2 = gpu.launch async [%t0] blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %v = memref.load %x[%tx] : memref<64xf32>
    memref.store %v, %a[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
