// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --allow-unregistered-dialect -verify-diagnostics --remarks-filter-missed=buffer-reuse --remarks-filter-passed=buffer-reuse \
// RUN:     --buffer-reuse="min-size-in-bytes=16 memory-spaces=0,1" -o /dev/null

// Every reason for leaving a buffer alone is said at its alloc, with what can be done about it.

func.func private @extern(memref<8xf32>)

func.func @unreachable() {
  return
^never:
  // expected-remark @below {{Reason="it is in a block that is never reached", Remark="buffer of 32 bytes left alone", Suggestion="run canonicalize"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @dynamic(%n: index) {
  // expected-remark @below {{Reason="its size is known only at run time", Remark="buffer of unknown size left alone"}}
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

func.func @layout() {
  // expected-remark @below {{Reason="its layout is not the identity", Remark="buffer of unknown size left alone", Suggestion="bufferize with identity layouts"}}
  %a = memref.alloc() : memref<4x4xf32, strided<[8, 1]>>
  memref.copy %a, %a : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32, strided<[8, 1]>>
  memref.dealloc %a : memref<4x4xf32, strided<[8, 1]>>
  return
}

func.func @element() {
  // expected-remark @below {{Reason="the size of its element type is not known"}}
  %a = memref.alloc() : memref<4xvector<[4]xf32>>
  memref.copy %a, %a : memref<4xvector<[4]xf32>> to memref<4xvector<[4]xf32>>
  memref.dealloc %a : memref<4xvector<[4]xf32>>
  return
}

func.func @too_large() {
  // expected-remark @below {{Reason="its arena could exceed 2^62 bytes"}}
  %a = memref.alloc() : memref<4611686018427387904x4xi8>
  memref.copy %a, %a : memref<4611686018427387904x4xi8> to memref<4611686018427387904x4xi8>
  memref.dealloc %a : memref<4611686018427387904x4xi8>
  return
}

func.func @returned() -> memref<8xf32> {
  // expected-remark @below {{Reason="it is returned", Remark="buffer of 32 bytes left alone", Suggestion="run buffer-results-to-out-params{hoist-static-allocs modify-public-functions}"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  return %a : memref<8xf32>
}

func.func @no_order(%x: f32) {
  %c0 = arith.constant 0 : index
  "test.graph"() ({
    // expected-remark @below {{Reason="it is in a region of 'test.graph' whose ops have no program order, or that may not end"}}
    %a = memref.alloc() : memref<8xf32>
    memref.store %x, %a[%c0] : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

func.func @distinct(%p: memref<8xf32>) {
  // expected-remark @below {{Reason="'memref.distinct_objects' promises that it shares no allocation", Remark="buffer of 32 bytes left alone", Suggestion="drop the op, or run buffer-reuse before it is made"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %b, %q = memref.distinct_objects %a, %p : memref<8xf32>, memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}

func.func @stored(%box: memref<memref<8xf32>>) {
  // expected-remark @below {{Reason="'memref.store' may store its address"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  memref.store %a, %box[] : memref<memref<8xf32>>
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @pointer() -> index {
  // expected-remark @below {{Reason="'memref.extract_aligned_pointer_as_index' turns its address into something other than a memref"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
  memref.dealloc %a : memref<8xf32>
  return %p : index
}

func.func @async(%q: memref<8xf32>) {
  // expected-remark @below {{Reason="'async.execute' starts work that may still use it later"}}
  %a = memref.alloc() : memref<8xf32>
  %token = async.execute {
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    async.yield
  }
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @called() {
  // expected-remark @below {{Reason="it is passed to '@extern', which may keep it", Remark="buffer of 32 bytes left alone", Suggestion="give the callee a body, or set unknown-ops=use"}}
  %a = memref.alloc() : memref<8xf32>
  call @extern(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @unknown() {
  // expected-remark @below {{Reason="the effects of 'test.op' are not known", Remark="buffer of 32 bytes left alone", Suggestion="give the op memory effects, or set unknown-ops=use"}}
  %a = memref.alloc() : memref<8xf32>
  "test.op"(%a) : (memref<8xf32>) -> ()
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @freed_by() {
  // expected-remark @below {{Reason="'memref.realloc' frees it", Remark="buffer of 32 bytes left alone", Suggestion="lower to memref.dealloc first"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %r = memref.realloc %a : memref<8xf32> to memref<16xf32>
  memref.dealloc %r : memref<16xf32>
  return
}

func.func @not_lowered(%c: i1) {
  // expected-remark @below {{Reason="'bufferization.dealloc' frees it", Remark="buffer of 32 bytes left alone", Suggestion="lower to memref.dealloc first"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  bufferization.dealloc (%a : memref<8xf32>) if (%c)
  return
}

func.func @carried(%n: index, %arg: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %arg) -> memref<8xf32> {
    // expected-remark @below {{Reason="its value survives the loop iteration that allocates it"}}
    %t = memref.alloc() : memref<8xf32>
    memref.copy %t, %t : memref<8xf32> to memref<8xf32>
    scf.yield %t : memref<8xf32>
  }
  return
}

func.func @unused() {
  // expected-remark @below {{Reason="nothing touches it", Remark="buffer of 32 bytes left alone", Suggestion="run canonicalize"}}
  %a = memref.alloc() : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @no_dealloc() {
  // expected-remark @below {{Reason="nothing deallocates it", Remark="buffer of 32 bytes left alone", Suggestion="run buffer-deallocation, or set require-dealloc=false"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  return
}

func.func @conditional(%c: i1) {
  // expected-remark @below {{Reason="it is deallocated on some paths only"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  scf.if %c {
    memref.dealloc %a : memref<8xf32>
  }
  return
}

func.func @shared(%c: i1, %arg: memref<8xf32>) {
  // expected-remark @below {{Reason="its dealloc may free something that is not planned"}}
  %a = memref.alloc() : memref<8xf32>
  memref.copy %a, %a : memref<8xf32> to memref<8xf32>
  %s = arith.select %c, %a, %arg : memref<8xf32>
  %o = arith.select %c, %arg, %a : memref<8xf32>
  memref.dealloc %s : memref<8xf32>
  memref.dealloc %o : memref<8xf32>
  return
}

func.func @other_space() {
  // expected-remark @below {{Reason="its memory space is not among memory-spaces"}}
  %a = memref.alloc() : memref<8xf32, 2>
  memref.copy %a, %a : memref<8xf32, 2> to memref<8xf32, 2>
  memref.dealloc %a : memref<8xf32, 2>
  return
}

func.func @small() {
  // expected-remark @below {{Reason="it is smaller than min-size-in-bytes", Remark="buffer of 12 bytes left alone"}}
  %a = memref.alloc() : memref<3xf32>
  memref.copy %a, %a : memref<3xf32> to memref<3xf32>
  memref.dealloc %a : memref<3xf32>
  return
}

func.func @no_partner(%x: f32) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{Reason="no other planned buffer can share bytes with it", Remark="buffer of 32 bytes left alone", Suggestion="set pool-all"}}
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  return
}

func.func @no_gain(%x: f32) {
  %c0 = arith.constant 0 : index
  // expected-remark @below {{Reason="aligned slices would take more bytes than separate buffers", Remark="buffer of 16 bytes left alone", Suggestion="lower alignment-in-bytes, or set pool-all"}}
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%c0] : memref<4xf32>
  // expected-remark @below {{Reason="aligned slices would take more bytes than separate buffers"}}
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %b[%c0] : memref<4xf32>
  %v = memref.load %a[%c0] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  // expected-remark @below {{Reason="aligned slices would take more bytes than separate buffers"}}
  %c = memref.alloc() : memref<4xf32>
  memref.store %v, %c[%c0] : memref<4xf32>
  %w = memref.load %b[%c0] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  // expected-remark @below {{Reason="aligned slices would take more bytes than separate buffers"}}
  %d = memref.alloc() : memref<4xf32>
  memref.store %w, %d[%c0] : memref<4xf32>
  %y = memref.load %c[%c0] : memref<4xf32>
  memref.dealloc %c : memref<4xf32>
  memref.dealloc %d : memref<4xf32>
  return
}

// expected-remark @below {{2 buffers of 64 bytes}}
func.func @planned(%x: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  memref.store %x, %b[%c0] : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
