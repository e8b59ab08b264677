// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=48 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not stowage-opt %s --buffer-reuse-analysis=alignment-in-bytes=48 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not stowage-opt %s --buffer-reuse=strategy=magic 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not stowage-opt %s --buffer-reuse=unknown-ops=maybe 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not stowage-opt %s --buffer-reuse=report=pdf:%t 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not stowage-opt %s --buffer-reuse=nonsense=1 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=lots 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=-64 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not stowage-opt %s --buffer-reuse=alignment-in-bytes=18446744073709551615 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not stowage-opt %s --buffer-reuse=report=json:%t-no-such-folder/x.json 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not stowage-opt %s --buffer-reuse-analysis=report=csv:%t-no-such-folder/x.csv 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not stowage-opt %s --buffer-reuse=report=json:%t-no-such-folder/x.json 2>/dev/null | count 0

// A malformed option is an error that names the option and what it may be; the exit status is not 0
// and nothing is written.

// ALIGN: error: {{.*}}alignment-in-bytes{{.*}}power of two
// STRATEGY: error: {{.*}}strategy{{.*}}magic
// UNKNOWN: error: {{.*}}unknown-ops{{.*}}maybe
// REPORT: error: {{.*}}report must be
// OPTION: no such option nonsense
// NUMBER: alignment-in-bytes
// FILE: error: {{.*}}x.{{json|csv}}{{.*}}: {{No such file or directory|cannot}}
func.func @two(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xi8>
  memref.store %x, %a[%c0] : memref<16xi8>
  memref.dealloc %a : memref<16xi8>
  %b = memref.alloc() : memref<16xi8>
  memref.store %x, %b[%c0] : memref<16xi8>
  memref.dealloc %b : memref<16xi8>
  return
}
