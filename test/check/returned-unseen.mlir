// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a function returns may lead to its argument though no chain of views does: through a buffer of
// buffers, through an address as a number, as work whose body uses it, or as what an async function
// gives. Calls by name and by address are alike. Sizes are no addresses: a new buffer with the
// argument's shape is no argument, and work is on nothing but what its body uses.

// RUN: stowage-opt %s --check-arena-plan --verify-diagnostics --split-input-file

func.func private @box(%a: memref<4xf32>) -> memref<4xf32> {
  %box = memref.alloca() : memref<memref<4xf32>>
  memref.store %a, %box[] : memref<memref<4xf32>>
  %r = memref.load %box[] : memref<memref<4xf32>>
  return %r : memref<4xf32>
}

func.func @frees_boxed(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @box(%a) : (memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

!fields = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>

func.func private @number(%a: memref<4xf32>) -> memref<4xf32> {
  %i = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  %j = arith.index_cast %i : index to i64
  %p = llvm.inttoptr %j : i64 to !llvm.ptr
  %0 = llvm.mlir.poison : !fields
  %1 = llvm.insertvalue %p, %0[0] : !fields
  %2 = llvm.insertvalue %p, %1[1] : !fields
  %m = builtin.unrealized_conversion_cast %2 : !fields to memref<4xf32>
  return %m : memref<4xf32>
}

func.func @frees_number(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %f = constant @number : (memref<4xf32>) -> memref<4xf32>
  %r = call_indirect %f(%a) : (memref<4xf32>) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @start(%a: memref<4xf32>, %out: memref<4xf32>) -> !async.token {
  %t = async.execute {
    memref.copy %a, %out : memref<4xf32> to memref<4xf32>
    async.yield
  }
  return %t : !async.token
}

func.func @overwrites_what_work_reads(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  // expected-note @below {{this is the view that is written}}
  %b = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  // expected-note @below {{it is written here}}
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %t = call @start(%a, %y) : (memref<4xf32>, memref<4xf32>) -> !async.token
  // expected-error @below {{hold what another view has yet to read}}
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  // expected-note @below {{and read here}}
  async.await %t : !async.token
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

async.func private @same(%a: memref<4xf32>) -> (!async.token, !async.value<memref<4xf32>>) {
  async.return %a : memref<4xf32>
}

func.func @overwrites_what_an_async_function_returned(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %t, %v = async.call @same(%a) : (memref<4xf32>) -> (!async.token, !async.value<memref<4xf32>>)
  async.await %t : !async.token
  %m = async.await %v : !async.value<memref<4xf32>>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %arena : memref<16xi8>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %m, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func private @fresh_of_shape(%a: memref<?xf32>) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %new = memref.alloc(%n) : memref<?xf32>
  %r = memref.reinterpret_cast %new to offset: [0], sizes: [%n], strides: [1] : memref<?xf32> to memref<?xf32>
  return %r : memref<?xf32>
}

func.func @frees_new(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][%n] : memref<16xi8> to memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %r = call @fresh_of_shape(%a) : (memref<?xf32>) -> memref<?xf32>
  memref.dealloc %r : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @start_on_one(%a: memref<4xf32>, %out: memref<4xf32>, %other: memref<4xf32>, %sizes: memref<1xindex>) -> !async.token {
  memref.copy %other, %a : memref<4xf32> to memref<4xf32>
  %c0 = arith.constant 0 : index
  %t = async.execute {
    %n = memref.dim %other, %c0 : memref<4xf32>
    memref.store %n, %sizes[%c0] : memref<1xindex>
    memref.copy %a, %out : memref<4xf32> to memref<4xf32>
    async.yield
  }
  return %t : !async.token
}

func.func @overwrites_what_no_work_reads(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>, %s: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  %b = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %t = call @start_on_one(%z, %y, %a, %s) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<1xindex>) -> !async.token
  memref.copy %x, %b : memref<4xf32> to memref<4xf32>
  async.await %t : !async.token
  memref.copy %b, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @start_copy(%a: memref<4xf32>, %out: memref<4xf32>) -> !gpu.async.token {
  %t0 = gpu.wait async
  %t = gpu.memcpy async [%t0] %out, %a : memref<4xf32>, memref<4xf32>
  return %t : !gpu.async.token
}

func.func @frees_what_a_copy_reads(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %t = call @start_copy(%a, %y) : (memref<4xf32>, memref<4xf32>) -> !gpu.async.token
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %arena : memref<16xi8>
  // expected-error @below {{uses an arena after it was deallocated}}
  gpu.wait [%t]
  return
}

func.func @frees_behind_the_wait(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %t = call @start_copy(%a, %y) : (memref<4xf32>, memref<4xf32>) -> !gpu.async.token
  gpu.wait [%t]
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

func.func private @reduce(%a: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %new = memref.alloc() : memref<4xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%new) -> memref<4xf32> {
    scf.reduce(%new : memref<4xf32>) {
    ^bb0(%l: memref<4xf32>, %m: memref<4xf32>):
      scf.reduce.return %a : memref<4xf32>
    }
  }
  return %r : memref<4xf32>
}

func.func @frees_reduced(%x: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this is the arena}}
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %r = call @reduce(%a, %n) : (memref<4xf32>, index) -> memref<4xf32>
  // expected-note @below {{it is deallocated here}}
  memref.dealloc %r : memref<4xf32>
  // expected-error @below {{uses an arena after it was deallocated}}
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  return
}

// -----

// What a body that is waited for yields, or a choice gives, is no more than that.

func.func private @copy_behind(%a: memref<4xf32>) -> memref<4xf32> {
  %t, %v = async.execute -> !async.value<memref<4xf32>> {
    %new = memref.alloc() : memref<4xf32>
    memref.copy %a, %new : memref<4xf32> to memref<4xf32>
    async.yield %new : memref<4xf32>
  }
  %m = async.await %v : !async.value<memref<4xf32>>
  return %m : memref<4xf32>
}

func.func private @copy_or_other(%a: memref<4xf32>, %other: memref<4xf32>, %n: i1) -> memref<4xf32> {
  %new = memref.alloc() : memref<4xf32>
  memref.copy %a, %new : memref<4xf32> to memref<4xf32>
  %r = scf.if %n -> memref<4xf32> {
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %other : memref<4xf32>
  }
  return %r : memref<4xf32>
}

func.func @uses_copies(%x: memref<4xf32>, %y: memref<4xf32>, %n: i1) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() {alignment = 64 : i64} : memref<16xi8>
  %a = memref.view %arena[%c0][] : memref<16xi8> to memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  %b = call @copy_behind(%a) : (memref<4xf32>) -> memref<4xf32>
  %c = call @copy_or_other(%a, %y, %n) : (memref<4xf32>, memref<4xf32>, i1) -> memref<4xf32>
  memref.dealloc %arena : memref<16xi8>
  memref.copy %b, %x : memref<4xf32> to memref<4xf32>
  memref.copy %c, %x : memref<4xf32> to memref<4xf32>
  return
}
