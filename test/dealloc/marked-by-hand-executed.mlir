// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The mark of what a bit decides, on ops that no bit decides: it says nothing. What would be left to
// a bit leaks; what is stored would be freed while its address is still read.

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.ran 2>&1
// RUN: FileCheck %s --check-prefix=RAN < %t.ran

// CHECK-LABEL: func.func @stored(
// CHECK: memref.alloc()
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @stored(%address: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %number = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%number : i64) outs(%a : memref<4xi64>)
  %same = memref.cast %a {stowage.by_bit} : memref<4xi64> to memref<?xi64>
  %pointer = memref.extract_aligned_pointer_as_index %same : memref<?xi64> -> index
  memref.store %pointer, %address[%c0] {stowage.by_bit} : memref<1xindex>
  return
}

// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: memref.load
// CHECK-NEXT: memref.dealloc %[[A]]
// RAN-DAG: {{^}}9{{$}}
// RAN-DAG: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0
func.func @main() {
  %c1 = arith.constant 1 : index
  %number = arith.constant 9 : i64
  %a = memref.alloc() : memref<4xi64>
  %view = memref.cast %a {stowage.by_bit} : memref<4xi64> to memref<?xi64>
  linalg.fill ins(%number : i64) outs(%view : memref<?xi64>)
  %read = memref.load %view[%c1] : memref<?xi64>
  vector.print %read : i64
  return
}
