// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="max-heap-overhead=0.01 lend-results=false" --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc="max-heap-overhead=0.01 lend-results=false" --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --merge-alloc="max-heap-overhead=2 lend-results=false" | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --merge-alloc="lend-results=false" | FileCheck %s --check-prefix=ONE
// RUN: stowage-opt %s --merge-alloc="max-heap-overhead=0" --check-arena-plan | FileCheck %s --check-prefix=LENT
// RUN: stowage-opt %s --buffer-deallocation --buffer-reuse="pool-all max-heap-overhead=0.01 lend-results=false" --check-arena-plan | FileCheck %s --check-prefix=REUSE

// While the result is made, an arena of 8192 bytes would be there for the 64 bytes of %c. So a buffer that is live at
// its peak, but not there, gets an arena of its own.

// CHECK-LABEL: func @ends
// CHECK:         %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4160xi8>
// CHECK:         %[[OTHER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// CHECK:         memref.dealloc %[[OTHER]]
// CHECK:         memref.alloc() {{.*}} : memref<1024xf32>
// CHECK-NOT:     memref.alloc()
// CHECK:         memref.dealloc %[[ARENA]]
// CHECK:         return
// ONE-LABEL:   func @ends
// ONE:           memref.alloc() {alignment = 64 : i64} : memref<8192xi8>
// ONE:           memref.alloc() {{.*}} : memref<1024xf32>
// ONE:           memref.dealloc
// REUSE-LABEL: func @ends
// REUSE:         memref.alloc() {{.*}} : memref<4160xi8>
// REUSE:         memref.alloc() {{.*}} : memref<1024xf32>
// REUSE:         memref.dealloc
// REUSE:         memref.alloc() {{.*}} : memref<1024xf32>
// LENT-LABEL:  func @ends
// LENT:          memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
// REMARK: Function=ends {{.*}}3 buffers of 8256 bytes put into one arena of 4160 bytes
func.func @ends(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %d = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%d : memref<1024xf32>)
  %s = memref.subview %d[0] [16] [1] : memref<1024xf32> to memref<16xf32, strided<[1]>>
  %c = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  linalg.exp ins(%s : memref<16xf32, strided<[1]>>) outs(%c : memref<16xf32>)
  %r = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%r : memref<1024xf32>)
  %t = memref.subview %r[0] [16] [1] : memref<1024xf32> to memref<16xf32, strided<[1]>>
  linalg.add ins(%t, %c : memref<16xf32, strided<[1]>>, memref<16xf32>) outs(%t : memref<16xf32, strided<[1]>>)
  return %r : memref<1024xf32>
}

// Where results are small beside the peak, nothing changes.

// CHECK-LABEL: func @stays
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<8192xi8>
// CHECK:         memref.dealloc
// CHECK-NEXT:    return
func.func @stays(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  linalg.exp ins(%b : memref<1024xf32>) outs(%y : memref<1024xf32>)
  return
}

// An allocation without alignment has no padding, and an arena has: it would be larger.

// LENT-LABEL: func @unaligned
// LENT-COUNT-2: memref.alloc() : memref<65xi8>
// ONE-LABEL: func @unaligned
// ONE:       memref.alloc() {alignment = 64 : i64} : memref<193xi8>
func.func @unaligned(%x: memref<65xi8>, %y: memref<65xi8>) {
  %a = memref.alloc() : memref<65xi8>
  memref.copy %x, %a : memref<65xi8> to memref<65xi8>
  %b = memref.alloc() : memref<65xi8>
  memref.copy %a, %b : memref<65xi8> to memref<65xi8>
  memref.copy %b, %y : memref<65xi8> to memref<65xi8>
  return
}
