// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pass that is an option of another one now still runs by its old name, with options, and says what to use.

// RUN: stowage-opt %s --buffer-reuse-analysis="annotate report=none" 2> %t.err | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: FileCheck %s --check-prefix=ANALYSIS < %t.err
// RUN: mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline='builtin.module(buffer-reuse-analysis{report=none})' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: not stowage-opt %s --buffer-reuse-analysis=nonsense 2>&1 | FileCheck %s --check-prefix=NONSENSE
// RUN: not stowage-opt %s --buffer-reuse=annotate 2>&1 | FileCheck %s --check-prefix=ALONE

// RUN: stowage-opt %s --tighten-deallocs=prefer=clones --simplify-clones --expand-lifetimes=poison -o %t.old 2>&1 | FileCheck %s --check-prefix=OTHERS
// RUN: stowage-opt %s --buffer-deallocation="tighten prefer=clones" --lower-clones=simplify-only --convert-lifetime-to-llvm="prepare poison" | diff %t.old -

// OTHERS: warning: tighten-deallocs is deprecated: use buffer-deallocation{tighten}
// OTHERS: warning: simplify-clones is deprecated: use lower-clones{simplify-only}
// OTHERS: warning: expand-lifetimes is deprecated: use convert-lifetime-to-llvm{prepare}
// ANALYSIS: warning: buffer-reuse-analysis is deprecated: use buffer-reuse{analysis}
// NONSENSE: error: buffer-reuse-analysis: {{.*}}no such option nonsense
// ALONE: error: buffer-reuse: annotate must be false without analysis, not 'true'

// CHECK: memref.alloc() {stowage.left_alone = "no-partner"}
func.func @f(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}
