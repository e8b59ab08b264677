// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --check-arena-plan -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --check-arena-plan=dynamic-offsets=ignore -o /dev/null
// RUN: not stowage-opt %s --check-arena-plan=dynamic-offsets=maybe -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not stowage-opt %s --check-arena-plan=max-effort=3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: stowage-opt %s --check-arena-plan="dynamic-offsets=ignore leaks" --remarks-filter=check-arena-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEAK

// An offset that is known only at run time may be any; two that differ by constants are compared.

// CHECK-NOT: error
// CHECK: [[#@LINE+12]]:3: error: not decided {{.*}} perhaps this overwrites bytes 0 to 64
// CHECK-NOT: error
// OPTION: dynamic-offsets must be overlap or ignore, not 'maybe'
// EFFORT: [[#@LINE+4]]:1: error: was not checked: 3 steps do not suffice; raise max-effort
// LEAK-NOT: remark
// LEAK: remark{{.*}}no path deallocates this arena
// LEAK-NOT: remark
func.func @unknown(%x: f32, %i: index, %arena: memref<128xi8>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %b = memref.view %arena[%n][] : memref<128xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}

func.func @constants_apart(%x: f32, %i: index, %n: index, %size: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %arena = memref.alloc(%size) : memref<?xi8>
  %m = arith.addi %n, %c64 : index
  %a = memref.view %arena[%n][] : memref<?xi8> to memref<16xf32>
  %b = memref.view %arena[%m][] : memref<?xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  %r = memref.load %a[%i] : memref<16xf32>
  return %r : f32
}
