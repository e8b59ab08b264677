// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pass that did nothing says why, in one line: on standard error of stowage-opt, as a remark anywhere.

// RUN: split-file %s %t
// RUN: stowage-opt %t/returned.mlir --buffer-reuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=RETURNED --match-full-lines
// RUN: stowage-opt %t/returned.mlir --buffer-reuse --idle-notes=false -o /dev/null 2>&1 | count 0
// RUN: mlir-opt %t/returned.mlir --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse,pack-stack)' -o /dev/null 2>&1 | count 0
// RUN: mlir-opt %t/returned.mlir --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse)' \
// RUN:     --remarks-filter-analyse=buffer-reuse -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %t/returned.mlir --buffer-reuse=analysis -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: stowage-opt %t/returned.mlir --buffer-reuse=report=json:%t/r.json -o /dev/null 2>/dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t/r.json
// RUN: stowage-opt %t/returned.mlir --merge-alloc=memory-spaces=3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE --match-full-lines
// RUN: stowage-opt %t/returned.mlir --check-arena-plan --verify-lifetimes --memory-access-streaming-fusion \
// RUN:     --convert-affine-to-taskflow --convert-taskflow-to-affine --promote-allocs-to-stack --pack-stack \
// RUN:     -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines
// RUN: stowage-opt %t/tensors.mlir --merge-alloc --hoist-allocations -o /dev/null 2>&1 | FileCheck %s --check-prefix=TENSORS --match-full-lines
// RUN: stowage-opt %t/argument.mlir --buffer-reuse --order-for-memory --reduce-peak --elide-copies --buffer-deallocation \
// RUN:     --insert-lifetimes --convert-affine-to-taskflow -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines
// RUN: stowage-opt %t/nothing.mlir --buffer-reuse --order-for-memory --reduce-peak --elide-copies --buffer-deallocation \
// RUN:     --insert-lifetimes --buffer-deallocation=tighten -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines
// RUN: stowage-opt %t/stored.mlir --buffer-deallocation=tighten -o /dev/null 2>&1 | FileCheck %s --check-prefix=STORED --match-full-lines
// RUN: stowage-opt %t/planned.mlir --buffer-deallocation=tighten -o /dev/null 2>&1 | count 0
// RUN: stowage-opt %t/planned.mlir --stowage-memory -o /dev/null 2>&1 | count 0

// RETURNED: buffer-reuse: 0 of 3 buffers planned: 2 returned, 1 dynamic-shape
// RETURNED-NOT: {{.+}}

// REMARK: remark: [Analysis] nothing-done | Category:buffer-reuse | Remark="0 of 3 buffers planned: 2 returned, 1 dynamic-shape"

// The report has the line, and no figures of nothing.
// REPORT: buffer-reuse: 2 arenas
// REPORT-NEXT: 0 of 3 buffers planned: 2 returned, 1 dynamic-shape
// REPORT-NOT: gap
// REPORT-NOT: optimal
// REPORT: arena none nothing is planned
// REPORT: returned: it is returned - 1 buffer
// REPORT-NEXT: to change that: run buffer-results-to-out-params{hoist-static-allocs modify-public-functions}
// REPORT-NOT: buffer-reuse:

// JSON: "note": "0 of 3 buffers planned: 2 returned, 1 dynamic-shape"
// JSON: "suggestion": "run buffer-results-to-out-params{hoist-static-allocs modify-public-functions}"

// SPACE: merge-alloc: 0 of 3 buffers planned: 2 returned, 1 dynamic-shape
// SPACE-NEXT: merge-alloc: memory-spaces: no buffer is in memory space '3'

// NONE: check-arena-plan: no arena found: no memory of i8 that views are cut from
// NONE-NEXT: verify-lifetimes: no lifetime markers
// NONE-NEXT: memory-access-streaming-fusion: no taskflow.task: run convert-affine-to-taskflow first
// NONE-NEXT: convert-affine-to-taskflow: no taskflow.task made: no affine.for, nor a loop that can be one, in a block of a function's body
// NONE-NEXT: convert-taskflow-to-affine: no taskflow.task: nothing to convert
// NONE-NEXT: promote-allocs-to-stack: 0 of 3 memref.alloc put on the stack: 1 too large, of too many dimensions, of unknown size or in another memory space; 2 returned, stored, owned by several in turn or freed by the program itself
// NONE-NEXT: pack-stack: no memref.alloca to plan

// TENSORS: merge-alloc: no memref.alloc to plan: tensors are not bufferized yet
// TENSORS-NEXT: hoist-allocations: no memref.alloc: tensors are not bufferized yet

// Tensors that only arguments have are no less in the way.
// ARGUMENT: buffer-reuse: no memref.alloc to plan: tensors are not bufferized yet
// ARGUMENT-NEXT: order-for-memory: no buffer that merge-alloc would plan: tensors are not bufferized yet
// ARGUMENT-NEXT: reduce-peak: no buffer that merge-alloc would plan: tensors are not bufferized yet
// ARGUMENT-NEXT: elide-copies: no copy elided and no op made to work in place: tensors are not bufferized yet
// ARGUMENT-NEXT: buffer-deallocation: no memref.dealloc added: tensors are not bufferized yet
// ARGUMENT-NEXT: insert-lifetimes: no lifetime.start added: tensors are not bufferized yet
// ARGUMENT-NEXT: convert-affine-to-taskflow: no taskflow.task made: tensors are not bufferized yet

// NOTHING: buffer-reuse: no memref.alloc to plan
// NOTHING-NEXT: order-for-memory: no buffer that merge-alloc would plan: nothing is allocated
// NOTHING-NEXT: reduce-peak: no buffer that merge-alloc would plan: nothing is allocated
// NOTHING-NEXT: elide-copies: no copy elided and no op made to work in place: nothing is allocated
// NOTHING-NEXT: buffer-deallocation: no memref.dealloc added: nothing is allocated{{$}}
// NOTHING-NEXT: insert-lifetimes: no lifetime.start added: nothing is allocated{{$}}
// NOTHING-NEXT: buffer-deallocation: no memref.dealloc: nothing is allocated

// STORED: buffer-deallocation: no memref.dealloc: remarks say what is left alone

//--- argument.mlir
func.func private @f(tensor<8xf32>)
func.func @g(%x: tensor<8xf32>) {
  return
}

//--- nothing.mlir
func.func @f() {
  return
}

//--- returned.mlir
func.func @f(%n: index) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  return %a : memref<8xf32>
}
func.func @g() -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  return %a : memref<8xf32>
}

//--- tensors.mlir
func.func @f(%x: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- planned.mlir
func.func @f(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  return
}

//--- stored.mlir
func.func @f(%table: memref<memref<8xf32>>) {
  %a = memref.alloc() : memref<8xf32>
  memref.store %a, %table[] : memref<memref<8xf32>>
  return
}
