// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a remark advises can apply, and is not set already.

// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CARRIED,NONE
// RUN: stowage-opt %s --elide-copies=lend-arguments --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CARRIED,LENT
// RUN: stowage-opt %s --elide-copies="lend-arguments assume-noalias-arguments" --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=CARRIED --implicit-check-not=noalias

// CARRIED:     memref.alloc stays: 'memref.load' has another name of what the loop begins with{{.*}}copy that into an allocation
// CARRIED:     no-alloc{{.*}}not both buffers come from a memref.alloc
// CARRIED-NOT: Suggestion
func.func @carried(%n: index, %x: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.abs ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> memref<8xf32> {
    memref.copy %v, %b : memref<8xf32> to memref<8xf32>
    %s = memref.alloc() : memref<8xf32>
    linalg.exp ins(%b : memref<8xf32>) outs(%s : memref<8xf32>)
    scf.yield %s : memref<8xf32>
  }
  %f = memref.load %a[%c0] : memref<8xf32>
  %g = memref.load %r[%c0] : memref<8xf32>
  %h = arith.addf %f, %g : f32
  return %h : f32
}

// NONE: the target is an argument{{.*}}set lend-arguments
// LENT: the target is an argument that may not be lent{{.*}}give it llvm.noalias, or set assume-noalias-arguments
func.func @argument(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  memref.copy %a, %y : memref<8xf32> to memref<8xf32>
  return
}
