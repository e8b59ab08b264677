// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse=strategy=auto | FileCheck %s
// RUN: stowage-opt %s --buffer-reuse=strategy=first-fit-size | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=first-fit-area | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=first-fit-duration | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=first-fit-start | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=best-fit-size | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=best-fit-area | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=best-fit-duration | FileCheck %s --check-prefix=SOME
// RUN: stowage-opt %s --buffer-reuse=strategy=best-fit-start | FileCheck %s --check-prefix=SOME

// Every strategy gives a valid arena; auto gives the least: 64 + 192 bytes live at the peak.

// CHECK-LABEL: func @plan
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// SOME-LABEL: func @plan
// SOME: memref.alloc() {alignment = 64 : i64} : memref<{{256|320|384|448}}xi8>
func.func @plan(%x: i8) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<128xi8>
  memref.store %x, %a[%c0] : memref<128xi8>
  %b = memref.alloc() : memref<64xi8>
  memref.store %x, %b[%c0] : memref<64xi8>
  memref.dealloc %a : memref<128xi8>
  %c = memref.alloc() : memref<192xi8>
  memref.store %x, %c[%c0] : memref<192xi8>
  %v = memref.load %b[%c0] : memref<64xi8>
  memref.dealloc %b : memref<64xi8>
  memref.store %x, %c[%c0] : memref<192xi8>
  memref.dealloc %c : memref<192xi8>
  return
}
