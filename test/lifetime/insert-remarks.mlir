// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --insert-lifetimes --remarks-filter-missed=insert-lifetimes 2>&1 >/dev/null | FileCheck %s

func.func private @unknown(memref<4xf32>)

func.func @f(%c: i1, %x: f32, %i: index) -> memref<4xf32> {
  // CHECK: insert-remarks.mlir:[[@LINE+1]]:{{.*}} remark: [Missed] returned | Category:insert-lifetimes | Function=f | Reason="it is returned", Remark="buffer gets no lifetime markers"
  %a = memref.alloc() : memref<4xf32>
  // CHECK: [[@LINE+1]]:{{.*}} passed-to-call {{.*}} Reason="it is passed to 'func.call', which may keep it", {{.*}}, Suggestion="give the callee a body, or set unknown-ops=use"
  %b = memref.alloc() : memref<4xf32>
  call @unknown(%b) : (memref<4xf32>) -> ()
  %r = scf.if %c -> memref<4xf32> {
    // CHECK: [[@LINE+1]]:{{.*}} outlives-its-name {{.*}} Reason="its memory is used where its name is not known"
    %d = memref.alloc() : memref<4xf32>
    scf.yield %d : memref<4xf32>
  } else {
    %d = memref.alloc() : memref<4xf32>
    scf.yield %d : memref<4xf32>
  }
  memref.store %x, %r[%i] : memref<4xf32>
  // CHECK: [[@LINE+1]]:{{.*}} has-markers {{.*}} Reason="it has markers already"
  %e = memref.alloca() : memref<4xf32>
  lifetime.start %e : memref<4xf32>
  lifetime.end %e : memref<4xf32>
  // CHECK: [[@LINE+1]]:{{.*}} no-place {{.*}} Reason="it may be freed before its last use, or a path has no place for a marker"
  %g = memref.alloc() : memref<4xf32>
  %h = memref.alloc() : memref<4xf32>
  %s = arith.select %c, %g, %h : memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  memref.store %x, %g[%i] : memref<4xf32>
  %c0 = arith.constant 0 : index
  // CHECK: [[@LINE+1]]:{{.*}} shared-bytes {{.*}} Reason="views share its bytes and do not overwrite them first"
  %m = memref.alloca() : memref<16xi8>
  %t1 = memref.view %m[%c0][] : memref<16xi8> to memref<4xf32>
  %t2 = memref.view %m[%c0][] : memref<16xi8> to memref<4xf32>
  memref.store %x, %t1[%i] : memref<4xf32>
  memref.store %x, %t2[%i] : memref<4xf32>
  // CHECK: [[@LINE+1]]:{{.*}} clone {{.*}} Reason="it is full when it comes into being"
  %n = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  memref.store %x, %n[%i] : memref<4xf32>
  return %a : memref<4xf32>
}
