// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Only steps that are named are tried, in the order in which they run. `contiguous-reads` is that of elide-copies.

// RUN: stowage-opt %s --reduce-peak -o %t.all --remarks-filter=reduce-peak 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: stowage-opt %s --reduce-peak=steps=stream-rows,order-for-memory,elide-copies | diff %t.all -
// RUN: stowage-opt %s --reduce-peak=steps=elide-copies -o %t.elided --remarks-filter=reduce-peak 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --elide-copies | diff %t.elided -
// RUN: stowage-opt %S/../copies/strided.mlir --reduce-peak=steps=elide-copies --remarks-filter=reduce-peak 2>&1 >/dev/null | FileCheck %s --check-prefix=STRIDED
// RUN: stowage-opt %S/../copies/strided.mlir --reduce-peak='steps=elide-copies contiguous-reads' --remarks-filter=reduce-peak 2>&1 >/dev/null | FileCheck %s --check-prefix=CONTIGUOUS
// RUN: stowage-opt %s --reduce-peak=steps=order-for-memory 2>&1 | FileCheck %s --check-prefix=IDLE
// RUN: not stowage-opt %s --reduce-peak=steps=stream-rows,streams 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// ALL:     [Passed] steps | Category:reduce-peak | Remark="arenas of {{.*}} bytes, not {{.*}}: elide-copies, stream-rows"
// ONE:     [Passed] steps | Category:reduce-peak | Remark="arenas of {{.*}} bytes, not {{.*}}: elide-copies"
// STRIDED:    "arenas of 3200 bytes, not 6784: elide-copies"
// CONTIGUOUS: "arenas of 3456 bytes, not 6784: elide-copies"
// IDLE:    reduce-peak: no combination of its passes makes the arenas smaller
// UNKNOWN: steps.mlir:{{.*}}: error: reduce-peak: steps must be of elide-copies, order-for-memory and stream-rows, not 'streams'

// A copy between ops that run row by row.
func.func @f(%x: memref<32x32xf32>, %y: memref<32x32xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<32x32xf32>
  linalg.exp ins(%x : memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  %b = memref.alloc() : memref<32x32xf32>
  memref.copy %a, %b : memref<32x32xf32> to memref<32x32xf32>
  %c = memref.alloc() : memref<32x32xf32>
  linalg.abs ins(%b : memref<32x32xf32>) outs(%c : memref<32x32xf32>)
  linalg.negf ins(%c : memref<32x32xf32>) outs(%y : memref<32x32xf32>)
  return
}
