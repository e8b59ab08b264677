// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --check-arena-plan --split-input-file --remarks-filter=check-arena-plan -o /dev/null 2>&1 | FileCheck %s

// Views of an arena that control flow chooses are not compared, which a remark says at each.

// CHECK: :[[#@LINE+11]]:8: remark: [Missed] chosen-arena {{.*}}Function=chosen_first
// CHECK: :[[#@LINE+11]]:8: remark: [Missed] chosen-arena {{.*}}Function=chosen_first
func.func @chosen_first(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %r = scf.if %bit -> memref<256xi8> {
    %p = memref.alloc() : memref<256xi8>
    scf.yield %p : memref<256xi8>
  } else {
    %q = memref.alloc() : memref<256xi8>
    scf.yield %q : memref<256xi8>
  }
  %a = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
  %b = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  return
}

// -----

// As the remark suggests: what is wrong is found.
// CHECK-NOT: remark
// CHECK: :[[#@LINE+16]]:3: error: overwrites
func.func @viewed_first(%x: memref<64xf32>, %o: memref<64xf32>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %a, %b = scf.if %bit -> (memref<64xf32>, memref<64xf32>) {
    %p = memref.alloc() : memref<256xi8>
    %a1 = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
    %b1 = memref.view %p[%c0][] : memref<256xi8> to memref<64xf32>
    scf.yield %a1, %b1 : memref<64xf32>, memref<64xf32>
  } else {
    %q = memref.alloc() : memref<512xi8>
    %c256 = arith.constant 256 : index
    %a2 = memref.view %q[%c0][] : memref<512xi8> to memref<64xf32>
    %b2 = memref.view %q[%c256][] : memref<512xi8> to memref<64xf32>
    scf.yield %a2, %b2 : memref<64xf32>, memref<64xf32>
  }
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %a, %o : memref<64xf32> to memref<64xf32>
  return
}
