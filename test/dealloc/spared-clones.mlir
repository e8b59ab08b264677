// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation --remarks-filter=buffer-deallocation 2> %t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t
// RUN: stowage-opt %s --buffer-deallocation --buffer-deallocation | FileCheck %s
// RUN: stowage-opt %s --buffer-deallocation=prefer=clones | FileCheck %s --check-prefix=CLONES

// A result must own. Where what is returned may be a buffer of ours that ends there, it shows by its
// address whether a clone is needed; the buffer is freed before the clone is made, if it is another.

// CHECK-LABEL: func.func @own_or_given(
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK: %[[R:.*]] = scf.if
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[OWN]]
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[BASE]]
// CHECK: %[[BASE_R:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[R]]
// CHECK: %[[ADDRESS_R:.*]] = memref.extract_aligned_pointer_as_index %[[BASE_R]]
// CHECK-NEXT: %[[SAME:.*]] = arith.cmpi eq, %[[ADDRESS]], %[[ADDRESS_R]]
// CHECK-NEXT: %[[OTHER:.*]] = arith.xori %true, %[[SAME]]
// CHECK-NEXT: scf.if %[[OTHER]] {
// CHECK-NEXT: memref.dealloc %[[OWN]] {{.*}} : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[RESULT:.*]] = scf.if %[[SAME]] -> (memref<8xf32>) {
// CHECK-NEXT: scf.yield %[[R]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[CLONE:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[R]], %[[CLONE]]
// CHECK-NEXT: scf.yield %[[CLONE]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[RESULT]]

// CLONES-LABEL: func.func @own_or_given(
// CLONES-NOT: cmpi
// CLONES: %[[CLONE:.*]] = memref.alloc()
// CLONES: memref.copy %{{.*}}, %[[CLONE]]
// CLONES: return %[[CLONE]]

func.func @own_or_given(%c: i1, %given: memref<8xf32>, %x: f32, %i: index) -> memref<8xf32> {
  %own = memref.alloc() : memref<8xf32>
  memref.store %x, %own[%i] : memref<8xf32>
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %given : memref<8xf32>
  } else {
    scf.yield %own : memref<8xf32>
  }
  // REMARK: :[[#@LINE+1]]:3: remark: {{.*}}a memref that is passed here is cloned, unless it is a buffer whose owner ends here
  return %r : memref<8xf32>
}

// Which of two buffers of ours it is: both end, one is passed on.
// CHECK-LABEL: func.func @lender_needed_later(
// CHECK-SAME: %[[COND:[a-z0-9]+]]: i1
// CHECK: %[[FIRST:.*]] = memref.alloc()
// CHECK: ^bb2(%[[R:.*]]: memref<8xf32>):
// CHECK-NEXT: memref.copy %[[FIRST]], %[[R]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[FIRST_ENDS:.*]] = arith.xori %true, %[[SAME]]
// CHECK-NEXT: %[[OWNS:.*]] = arith.xori %[[COND]], %true
// CHECK-NEXT: %[[OPEN:.*]] = arith.xori %true, %[[SAME]]
// CHECK-NEXT: %[[TAKEN:.*]] = arith.andi %[[OWNS]], %[[OPEN]]
// CHECK-NEXT: %[[ANY:.*]] = arith.ori %[[SAME]], %[[TAKEN]]
// CHECK-NEXT: %[[SECOND_ENDS:.*]] = arith.xori %[[OWNS]], %[[TAKEN]]
// CHECK-NEXT: scf.if %[[FIRST_ENDS]] {
// CHECK-NEXT: memref.dealloc %[[FIRST]]
// CHECK: scf.if %[[SECOND_ENDS]] {
// CHECK-NEXT: memref.dealloc %[[R]]
// CHECK: scf.if %[[ANY]]
// CHECK-NEXT: scf.yield %[[R]]
// CHECK-NOT: dealloc
// CHECK: return
func.func @lender_needed_later(%c: i1, %x: f32, %i: index) -> memref<8xf32> {
  %first = memref.alloc() : memref<8xf32>
  memref.store %x, %first[%i] : memref<8xf32>
  cf.cond_br %c, ^join(%first : memref<8xf32>), ^other
^other:
  %second = memref.alloc() : memref<8xf32>
  memref.store %x, %second[%i] : memref<8xf32>
  cf.br ^join(%second : memref<8xf32>)
^join(%r: memref<8xf32>):
  memref.copy %first, %r : memref<8xf32> to memref<8xf32>
  // REMARK: :[[#@LINE+1]]:3: remark: {{.*}} unless it is a buffer whose owner ends here
  return %r : memref<8xf32>
}

// Two results may be one buffer; the first takes it.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[ENDS:.*]] = arith.xori %true, %[[FIRST]]
// CHECK: %[[SAME:.*]] = arith.cmpi eq
// CHECK-NEXT: %[[SECOND:.*]] = arith.andi %[[ENDS]], %[[SAME]]
// CHECK-NEXT: %[[STILL_ENDS:.*]] = arith.xori %[[ENDS]], %[[SECOND]]
// CHECK-NEXT: scf.if %[[STILL_ENDS]] {
// CHECK-NEXT: memref.dealloc %[[OWN]] {{.*}} : memref<8xf32>
// CHECK: scf.if %[[FIRST]]
// CHECK: scf.if %[[SECOND]]
func.func @twice(%c: i1, %given: memref<8xf32>, %x: f32, %i: index) -> (memref<8xf32>, memref<8xf32>) {
  %own = memref.alloc() : memref<8xf32>
  memref.store %x, %own[%i] : memref<8xf32>
  %r = scf.if %c -> (memref<8xf32>) {
    scf.yield %given : memref<8xf32>
  } else {
    scf.yield %own : memref<8xf32>
  }
  // REMARK-COUNT-2: :[[#@LINE+1]]:3: remark: {{.*}} unless it is a buffer whose owner ends here
  return %r, %r : memref<8xf32>, memref<8xf32>
}

// A part of an allocation has not the address that is freed: it is cloned in any case.
// CHECK-LABEL: func.func @part(
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK: %[[R:.*]] = scf.if
// CHECK: } else {
// CHECK: }
// CHECK-NEXT: %[[CLONE:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[R]], %[[CLONE]]
// CHECK-NEXT: memref.dealloc %[[OWN]] : memref<64xi8>
// CHECK-NEXT: return %[[CLONE]]
func.func @part(%c: i1, %given: memref<8xi8>, %x: i8, %i: index) -> memref<8xi8> {
  %own = memref.alloc() : memref<64xi8>
  memref.store %x, %own[%i] : memref<64xi8>
  %view = memref.view %own[%i][] : memref<64xi8> to memref<8xi8>
  %r = scf.if %c -> (memref<8xi8>) {
    scf.yield %given : memref<8xi8>
  } else {
    scf.yield %view : memref<8xi8>
  }
  // REMARK: :[[#@LINE+1]]:3: remark: {{.*}}a memref that is passed here is cloned"
  return %r : memref<8xi8>
}
