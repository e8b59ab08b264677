// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --convert-lifetime-to-llvm=prepare | FileCheck %s
// RUN: stowage-opt %s --convert-lifetime-to-llvm="prepare poison" | FileCheck %s --check-prefix=POISON

// CHECK-LABEL: func @value_form
// CHECK: %[[A:.*]] = memref.alloca
// CHECK-NEXT: lifetime.start %[[A]] {whole} :
// CHECK-NEXT: memref.copy %[[A]],
// CHECK-NEXT: lifetime.end %[[A]] {whole} :
// POISON-LABEL: func @value_form
// POISON: llvm.intr.memset
// POISON: lifetime.start
// POISON: memref.copy
// POISON: llvm.intr.memset
// POISON-NEXT: lifetime.end
func.func @value_form(%out: memref<8xf32>) {
  %a = memref.alloca() : memref<8xf32>
  %l = lifetime.start %a : memref<8xf32>
  memref.copy %l, %out : memref<8xf32> to memref<8xf32>
  lifetime.end %l : memref<8xf32>
  return
}

// What is not an alloca has no markers in LLVM; poison reaches it all the same.
// CHECK-LABEL: func @elsewhere
// CHECK-NOT: lifetime
// CHECK: return
// POISON-LABEL: func @elsewhere
// POISON-COUNT-4: llvm.intr.memset
// POISON-NOT: memset
// POISON: return
func.func @elsewhere(%arg: memref<8xf32>, %n: index, %u: memref<*xf32>,
                     %s: memref<4xf32, strided<[2]>>, %space: memref<4xf32, 1>) {
  %a = memref.alloc(%n) : memref<?x4xi24>
  lifetime.start %a : memref<?x4xi24>
  lifetime.end %a : memref<?x4xi24>
  %l = lifetime.start %arg : memref<8xf32>
  memref.copy %l, %arg : memref<8xf32> to memref<8xf32>
  lifetime.end %l : memref<8xf32>
  lifetime.start %u : memref<*xf32>
  lifetime.start %s : memref<4xf32, strided<[2]>>
  lifetime.start %space : memref<4xf32, 1>
  memref.dealloc %a : memref<?x4xi24>
  return
}

// An alloca whose views have lives of their own is alive as they are: its own markers would say
// less than the truth.
// CHECK-LABEL: func @carved
// CHECK: lifetime.start %[[OTHER:.*]] {whole}
// CHECK-NOT: lifetime
// CHECK: lifetime.end %[[OTHER]] {whole}
func.func @carved(%out: memref<4xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %a = memref.alloca() : memref<32xi8>
  %b = memref.alloca() : memref<32xi8>
  %other = memref.alloca() : memref<4xf32>
  lifetime.start %other : memref<4xf32>
  lifetime.start %a : memref<32xi8>
  lifetime.end %a : memref<32xi8>
  lifetime.start %b : memref<32xi8>
  lifetime.end %b : memref<32xi8>
  %s = arith.select %c, %a, %b : memref<32xi8>
  %v = memref.view %s[%c0][] : memref<32xi8> to memref<4xf32>
  lifetime.start %v : memref<4xf32>
  memref.copy %out, %v : memref<4xf32> to memref<4xf32>
  lifetime.end %v : memref<4xf32>
  lifetime.end %other : memref<4xf32>
  return
}

// Allocas of static size move to the first block, in order, but for those whose value survives a
// loop's iteration.
// CHECK-LABEL: func @hoisted
// CHECK-NEXT: memref.alloca() : memref<1xf32>
// CHECK-NEXT: memref.alloca() : memref<2xf32>
// CHECK-NEXT: memref.alloca() : memref<3xf32>
// CHECK: iter_args
// CHECK-NEXT: memref.alloca() : memref<4xf32>
// CHECK: scf.for
// CHECK-NEXT: memref.alloca(%{{.*}}) : memref<?xf32>
// CHECK: scf.parallel
// CHECK-NEXT: memref.alloca() : memref<5xf32>
// CHECK: scf.for
// CHECK-NEXT: memref.alloca() : memref<6xf32>
func.func private @keep(memref<6xf32>)
func.func @hoisted(%c: i1, %n: index, %x: f32, %first: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<1xf32>
  scf.if %c {
    %b = memref.alloca() : memref<2xf32>
    memref.store %x, %b[%c0] : memref<2xf32>
    scf.for %i = %c0 to %n step %c1 {
      %d = memref.alloca() : memref<3xf32>
      memref.store %x, %d[%c0] : memref<3xf32>
    }
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> memref<4xf32> {
    %d = memref.alloca() : memref<4xf32>
    memref.copy %p, %d : memref<4xf32> to memref<4xf32>
    scf.yield %d : memref<4xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %d = memref.alloca(%i) : memref<?xf32>
    memref.store %x, %d[%c0] : memref<?xf32>
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %d = memref.alloca() : memref<5xf32>
    memref.store %x, %d[%c0] : memref<5xf32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %d = memref.alloca() : memref<6xf32>
    func.call @keep(%d) : (memref<6xf32>) -> ()
  }
  return
}
