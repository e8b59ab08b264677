// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies 2>&1 | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=HEAP
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{allocation-free-loops},merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=MORE

// What a callee holds while it runs is of the heap's peak: it comes on top of what is updated in place, and not of what is allocated behind the call.
// A caller of such a function, directly or through another, keeps the updates that cost nothing.

// HEAP: after 5,120
// HEAP: equal
// MORE: after 5,376
// MORE: equal

// CHECK: Function=state | Reason=peak, Remark="memref.alloc stays: the heap would need more bytes if 'scf.for' updated it in place", Suggestion="set allocation-free-loops"
// CHECK: [Passed] exchanged {{.*}}Function=twice

func.func private @taken(%start: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %own = memref.alloc() : memref<1024xi32>
  linalg.fill ins(%start : i32) outs(%own : memref<1024xi32>)
  %v = memref.load %own[%c1] : memref<1024xi32>
  return %v : i32
}

// CHECK-LABEL: func.func private @state
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = memref.alloc() : memref<64xi32>
// CHECK: scf.yield %[[NEW]]
func.func private @state(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : memref<64xi32>
  linalg.fill ins(%start : i32) outs(%x : memref<64xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<64xi32>) {
    %t = memref.alloc() : memref<256xi32>
    linalg.fill ins(%start : i32) outs(%t : memref<256xi32>)
    %given = func.call @taken(%start) : (i32) -> i32
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

func.func private @between(%n: index, %start: i32) -> i32 {
  %r = func.call @state(%n, %start) : (index, i32) -> i32
  return %r : i32
}

// CHECK-LABEL: func.func private @twice
// CHECK: memref.alloc() : memref<4xi32>
// CHECK: scf.for
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @twice(%n: index, %start: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = func.call @between(%n, %start) : (index, i32) -> i32
  %x = memref.alloc() : memref<4xi32>
  linalg.fill ins(%first : i32) outs(%x : memref<4xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (memref<4xi32>) {
    %b = memref.alloc() : memref<4xi32>
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %a[%j] : memref<4xi32>
      %w = arith.addi %v, %start : i32
      memref.store %w, %b[%j] : memref<4xi32>
    }
    scf.yield %b : memref<4xi32>
  }
  %last = memref.load %r[%c1] : memref<4xi32>
  return %last : i32
}

func.func @main() attributes {llvm.emit_c_interface} {
  %c3 = arith.constant 3 : index
  %one = arith.constant 1 : i32
  %r = call @twice(%c3, %one) : (index, i32) -> i32
  vector.print %r : i32
  return
}
