// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=max-heap-overhead=0 --check-arena-plan | FileCheck %s --check-prefixes=CHECK,ARENAS
// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --merge-alloc="max-heap-overhead=0 conditional-share=0" --check-arena-plan | FileCheck %s --check-prefixes=CHECK,ARENAS
// RUN: stowage-opt %s --buffer-deallocation --buffer-reuse="pool-all max-heap-overhead=0" --check-arena-plan | FileCheck %s --check-prefixes=CHECK,ALONE
// RUN: stowage-opt %s --buffer-deallocation --buffer-reuse="pool-all" --check-arena-plan | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --buffer-deallocation --buffer-reuse="pool-all conditional-share=1.5" --check-arena-plan | FileCheck %s --check-prefix=ALONE

// The buffer of the branch is below four times what every path needs. Where the branch is not taken, its bytes would still
// be more than the bound has.

// ARENAS-LABEL: func @twice
// ARENAS:        memref.alloc() {{.*}} : memref<64xi8>
// ARENAS:        scf.if
// ARENAS:          memref.alloc() {{.*}} : memref<128xi8>
// ALONE-LABEL: func @twice
// ALONE:         memref.alloc() {{.*}} : memref<16xf32>
// ALONE:         scf.if
// ALONE:           memref.alloc() {{.*}} : memref<32xf32>
// ONE-LABEL:   func @twice
// ONE:           memref.alloc() {{.*}} : memref<128xi8>
// ONE-NOT:       memref.alloc
// ONE:           return
func.func @twice(%c: i1, %x: memref<16xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  scf.if %c {
    %b = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
    linalg.exp ins(%y : memref<32xf32>) outs(%b : memref<32xf32>)
    linalg.exp ins(%b : memref<32xf32>) outs(%y : memref<32xf32>)
  }
  return
}

// One that has room in what every path needs stays there.
// CHECK-LABEL: func @room
// CHECK:         memref.alloc() {{.*}} : memref<64xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @room(%c: i1, %x: memref<16xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%x : memref<16xf32>)
  scf.if %c {
    %b = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
    linalg.exp ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
    linalg.exp ins(%b : memref<16xf32>) outs(%x : memref<16xf32>)
  }
  return
}
