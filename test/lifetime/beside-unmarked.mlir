// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views of one allocation get lives all or none: a phi of views that have none may be, for all that
// the types say, any bytes of it.

// RUN: stowage-opt %s --insert-lifetimes --verify-lifetimes --remarks-filter=insert-lifetimes 2>&1 | FileCheck %s

// CHECK: beside-unmarked{{.*}}another view of its memory has no life
// CHECK-LABEL: func.func @phi
// CHECK-NOT: lifetime
func.func @phi(%x: f32, %i: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc() : memref<128xi8>
  %z = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%z : memref<16xf32>)
  %v = scf.if %c -> memref<16xf32> {
    %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    scf.yield %a : memref<16xf32>
  } else {
    %b = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
    scf.yield %b : memref<16xf32>
  }
  %r = memref.load %z[%i] : memref<16xf32>
  %q = memref.load %v[%i] : memref<16xf32>
  %s = arith.addf %r, %q : f32
  memref.dealloc %arena : memref<128xi8>
  return %s : f32
}
