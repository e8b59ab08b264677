// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse="analysis annotate report=none" | FileCheck %s
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse="analysis annotate report=none unknown-ops=use" | FileCheck %s --check-prefix=USE
// RUN: stowage-opt %s --allow-unregistered-dialect --buffer-reuse="pool-all poison unknown-ops=use" -o /dev/null

// An op whose effects are not known may keep what it is given, unless the option says it does not.

// CHECK-LABEL: func @keeps
// USE-LABEL: func @keeps
func.func @keeps() {
  // CHECK: left_alone = "unknown-op"
  // USE: stowage.offset = 0
  %a = memref.alloc() : memref<8xf32>
  "test.op"(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  // CHECK: left_alone = "unknown-op"
  // USE: stowage.offset = 0
  %b = memref.alloc() : memref<8xf32>
  "test.op"(%b) : (memref<8xf32>) -> ()
  memref.dealloc %b : memref<8xf32>
  return
}

// It may return what it was given: %a lives as long as %r.

// CHECK-LABEL: func @returns
// USE-LABEL: func @returns
func.func @returns(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone = "unknown-op"
  // USE: left_alone = "no-partner"
  %a = memref.alloc() : memref<8xf32>
  %r = "test.op"(%a) : (memref<8xf32>) -> memref<8xf32>
  // USE: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.store %x, %r[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// It may return it as something that is no memref, through which it is used later: a pointer, a
// handle, a tensor.

// CHECK-LABEL: func @returns_handle
// USE-LABEL: func @returns_handle
func.func @returns_handle(%x: f32) {
  %c0 = arith.constant 0 : index
  // USE: left_alone = "{{no-partner|pointer-taken|unknown-op|asynchronous}}"
  %a = memref.alloc() : memref<8xf32>
  %h = "test.handle"(%a) : (memref<8xf32>) -> !test.handle
  // USE: left_alone = "no-partner"
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  "test.use_handle"(%h) : (!test.handle) -> ()
  %v = memref.load %b[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

// Its region is part of it: a buffer used inside is used by it, and one allocated inside has no
// order the pass knows.

// CHECK-LABEL: func @region
// USE-LABEL: func @region
func.func @region(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  "test.region"() ({
    memref.store %x, %a[%c0] : memref<8xf32>
    // CHECK: left_alone
    %i = memref.alloc() : memref<8xf32>
    memref.store %x, %i[%c0] : memref<8xf32>
    memref.dealloc %i : memref<8xf32>
    // CHECK: left_alone
    %j = memref.alloc() : memref<8xf32>
    memref.store %x, %j[%c0] : memref<8xf32>
    memref.dealloc %j : memref<8xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

// An unknown terminator may jump anywhere with its operands.

// CHECK-LABEL: func @terminator
func.func @terminator(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: left_alone
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  "test.br"(%a)[^exit] : (memref<8xf32>) -> ()
^exit:
  memref.dealloc %a : memref<8xf32>
  return
}

// What ends a region may hand on to the op's result what it is given.

// CHECK-LABEL: func @region_result
// USE-LABEL: func @region_result
func.func @region_result(%x: f32) {
  %c0 = arith.constant 0 : index
  // USE: left_alone = "unknown-op"
  %a = memref.alloc() : memref<8xf32>
  // USE: left_alone
  %b = memref.alloc() : memref<8xf32>
  %r = "test.region"() ({
    memref.store %x, %a[%c0] : memref<8xf32>
    "test.end"(%a) : (memref<8xf32>) -> ()
  }) : () -> memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  %v = memref.load %b[%c0] : memref<8xf32>
  %w = memref.load %r[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
