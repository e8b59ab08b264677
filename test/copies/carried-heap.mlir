// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies 2>&1 | FileCheck %s
// RUN: stowage-opt %s --elide-copies=allocation-free-loops | FileCheck %s --check-prefix=FREE
// RUN: stowage-opt %s --reduce-peak | FileCheck %s --check-prefix=FREE
// RUN: stowage-opt %s --stowage-memory="elide-copies arena=global" | FileCheck %s --check-prefix=FRAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{allocation-free-loops},merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=MORE

// No iteration reads the state before it, and no op sets all of it at once. Updated in place, it would be there beside a buffer of each iteration and what
// the program frees itself meanwhile: the heap would need more bytes than with an allocation in each iteration.

// CHECK: Function=state | Reason=peak, Remark="memref.alloc stays: the heap would need more bytes if 'scf.for' updated it in place", Suggestion="set allocation-free-loops"
// CHECK: Function=both | Reason=peak, Remark="memref.alloc stays: the heap would need more bytes if 'scf.for' updated it in place", Suggestion="set allocation-free-loops"
// CHECK: Function=both | Reason=peak, Remark="memref.alloc stays: the heap would need more bytes if 'scf.for' carried one more buffer"
// CHECK-NOT: Suggestion=
// CHECK-LABEL: func.func private @state
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<64xi32>
// CHECK: scf.yield %[[NEW]]
// FREE-LABEL: func.func private @state
// FREE: memref.alloc() : memref<64xi32>
// FREE: scf.for
// FREE-NOT: memref.alloc() : memref<64xi32>
// FREE: return
// FRAME: scf.for
// FRAME-NOT: memref.alloc() : memref<64xi32>
// FRAME: return
// HEAP: after 5,120
// HEAP: equal
// MORE: after 5,376
// MORE: equal

func.func private @state(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : memref<64xi32>
  linalg.fill ins(%start : i32) outs(%x : memref<64xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<64xi32>) {
    %t = memref.alloc() : memref<256xi32>
    linalg.fill ins(%start : i32) outs(%t : memref<256xi32>)
    %own = memref.alloc() {bufferization.manual_deallocation} : memref<1024xi32>
    linalg.fill ins(%start : i32) outs(%own : memref<1024xi32>)
    %given = memref.load %own[%c1] : memref<1024xi32>
    memref.dealloc %own : memref<1024xi32>
    %v = memref.load %t[%c1] : memref<256xi32>
    %w = arith.addi %v, %given : i32
    %b = memref.alloc() : memref<64xi32>
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %w, %b[%j] : memref<64xi32>
    }
    scf.yield %b : memref<64xi32>
  }
  %last = memref.load %r[%c1] : memref<64xi32>
  return %last : i32
}

func.func @main() attributes {llvm.emit_c_interface} {
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %r = call @state(%c3, %one) : (index, i32) -> i32
  vector.print %r : i32
  return
}

// Only the loop that was updated in place says that this was too dear: the other one reads its state in another order than it writes the next.

// CHECK-LABEL: func.func private @both
func.func private @both(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %first = call @state(%n, %start) : (index, i32) -> i32
  %x = memref.alloc() : memref<64xi32>
  linalg.fill ins(%start : i32) outs(%x : memref<64xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<64xi32>) {
    %t = memref.alloc() : memref<256xi32>
    linalg.fill ins(%first : i32) outs(%t : memref<256xi32>)
    %own = memref.alloc() {bufferization.manual_deallocation} : memref<1024xi32>
    linalg.fill ins(%start : i32) outs(%own : memref<1024xi32>)
    %given = memref.load %own[%c1] : memref<1024xi32>
    memref.dealloc %own : memref<1024xi32>
    %v = memref.load %t[%c1] : memref<256xi32>
    %w = arith.addi %v, %given : i32
    %b = memref.alloc() : memref<64xi32>
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %w, %b[%j] : memref<64xi32>
    }
    scf.yield %b : memref<64xi32>
  }
  %last = memref.load %r[%c1] : memref<64xi32>
  %y = memref.alloc() : memref<64xi32>
  linalg.fill ins(%last : i32) outs(%y : memref<64xi32>)
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (memref<64xi32>) {
    %b = memref.alloc() : memref<64xi32>
    scf.for %j = %c0 to %c64 step %c1 {
      %k = arith.subi %c63, %j : index
      %v = memref.load %a[%k] : memref<64xi32>
      memref.store %v, %b[%j] : memref<64xi32>
    }
    scf.yield %b : memref<64xi32>
  }
  %end = memref.load %s[%c1] : memref<64xi32>
  return %end : i32
}
