// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir 2>&1 | FileCheck %s --check-prefix=HEAP

// To ask for a shape is no use of the memory: the answer is in the descriptor, which outlives it.
// HEAP-DAG: {{^}}5{{$}}
// HEAP-DAG: {{^}}7{{$}}
// HEAP-DAG: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: index) {
  %i = arith.index_cast %v : index to i64
  call @printI64(%i) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

// CHECK-LABEL: @dim
// CHECK: memref.store
// CHECK-NEXT: memref.dealloc
// CHECK: memref.dim
func.func private @dim(%n: index) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %a[%c0] : memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %b[%c0] : memref<?xf32>
  %d = memref.dim %a, %c0 : memref<?xf32>
  call @show(%d) : (index) -> ()
  return
}

// A view's base is memory, whatever else the op tells.
// CHECK-LABEL: @base
// CHECK: memref.extract_strided_metadata
// CHECK: memref.store
// CHECK-NEXT: memref.dealloc
func.func private @base(%n: index) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %a = memref.alloc(%n) : memref<?xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<?xf32> -> memref<f32>, index, index, index
  memref.store %v, %base[] : memref<f32>
  call @show(%size) : (index) -> ()
  return
}

func.func @main() {
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  call @dim(%c5) : (index) -> ()
  call @base(%c7) : (index) -> ()
  return
}
