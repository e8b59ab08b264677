// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: split-file %s %t
// RUN: stowage-opt %t/stack.mlir --pack-stack --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=STACK --implicit-check-not=pool-all
// RUN: stowage-opt %t/heap.mlir --merge-alloc --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=MERGE
// RUN: stowage-opt %t/heap.mlir --buffer-reuse --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REUSE
// RUN: stowage-opt %t/heap.mlir --buffer-reuse='pool-all require-dealloc=false unknown-ops=use' --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SET --implicit-check-not='set '
// RUN: stowage-opt %t/heap.mlir --insert-lifetimes --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIFETIMES
// RUN: stowage-opt %t/heap.mlir --buffer-results-to-out-params='hoist-static-allocs modify-public-functions' \
// RUN:     --merge-alloc=report=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=FOLLOWED --implicit-check-not=returned:

// A suggestion names the pass at hand, and no option that it does not have; what it says works.

// STACK: no other planned buffer can share bytes with it
// STACK-NOT: Suggestion

// MERGE: it is passed to '@keep', which may keep it{{.*}}Suggestion{{.*}}give the callee a body, or set unknown-ops=use
// MERGE: run merge-alloc before it is made

// REUSE: nothing deallocates it{{.*}}Suggestion{{.*}}set require-dealloc=false
// REUSE: it is passed to '@keep', which may keep it
// REUSE: run buffer-reuse before it is made

// Nor one that is set.
// SET: remark:

// LIFETIMES: run insert-lifetimes before it is made

// FOLLOWED: merge-alloc:

//--- stack.mlir
func.func @f(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  return
}

//--- heap.mlir
func.func private @keep(memref<8xf32>)
func.func @not_freed(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  return
}
func.func @called() {
  %a = memref.alloc() : memref<8xf32>
  call @keep(%a) : (memref<8xf32>) -> ()
  return
}
func.func @distinct(%p: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %p, %a : memref<8xf32> to memref<8xf32>
  %b, %q = memref.distinct_objects %a, %p : memref<8xf32>, memref<8xf32>
  memref.copy %b, %q : memref<8xf32> to memref<8xf32>
  return
}
func.func @returned() -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  return %a : memref<8xf32>
}
