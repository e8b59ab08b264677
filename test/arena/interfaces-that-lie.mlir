// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --split-input-file --buffer-reuse='analysis annotate report=none pool-all' | FileCheck %s

// What an op's interfaces say is believed only as far as they promise something.

// The effect is declared on the op, tied to no operand: still a use of it.
// CHECK-LABEL: @effect_on_op
// CHECK: stowage.life = array<i64: 2, 8>, stowage.offset = 0 : i64} : memref<1xbf16>
// CHECK: stowage.life = array<i64: 4, 5>, stowage.offset = 64 : i64} : memref<1xbf16>
func.func @effect_on_op(%one: bf16, %nine: bf16, %f: f32) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xbf16>
  memref.store %one, %a[%c0] : memref<1xbf16>
  %b = memref.alloc() : memref<1xbf16>
  memref.store %nine, %b[%c0] : memref<1xbf16>
  memref.dealloc %b : memref<1xbf16>
  %i = arith.constant 1 : index
  %v = x86vector.avx.bcst_to_f32.packed %a : memref<1xbf16> -> vector<8xf32>
  memref.dealloc %a : memref<1xbf16>
  %c = memref.alloc() : memref<1xf32>
  memref.store %f, %c[%c0] : memref<1xf32>
  memref.dealloc %c : memref<1xf32>
  return %v : vector<8xf32>
}

// -----

// A call that returns a token is not done when it returns.
async.func @later(%m: memref<64xi64>, %t: !async.token) -> !async.token {
  async.await %t : !async.token
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  memref.store %one, %m[%c0] : memref<64xi64>
  return
}

// CHECK-LABEL: @async_call
// CHECK: memref.alloc() {stowage.left_alone = "asynchronous"}
func.func @async_call(%t: !async.token) {
  %a = memref.alloc() : memref<64xi64>
  %k = async.call @later(%a, %t) : (memref<64xi64>, !async.token) -> !async.token
  async.await %k : !async.token
  memref.dealloc %a : memref<64xi64>
  return
}

// -----

// scf.parallel's interface does not name the operands of its terminator.
// CHECK-LABEL: @reduced_memref
// CHECK: memref.alloc() {stowage.left_alone = "unknown-op"}
func.func @reduced_memref(%i: memref<64xi64>, %v: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xi64>
  memref.store %v, %a[%c0] : memref<64xi64>
  %r = scf.parallel (%p) = (%c0) to (%c1) step (%c1) init (%i) -> memref<64xi64> {
    scf.reduce(%a : memref<64xi64>) {
    ^bb0(%l: memref<64xi64>, %x: memref<64xi64>):
      scf.reduce.return %x : memref<64xi64>
    }
  }
  %w = memref.load %r[%c0] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  return %w : i64
}

// -----

// OpenACC's regions have RegionBranchOpInterface, and run on after the op.
// CHECK-LABEL: @openacc
// CHECK: memref.alloc() {stowage.left_alone = "asynchronous"}
func.func @openacc(%v: i64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xi64>
  acc.parallel async {
    memref.store %v, %a[%c0] : memref<64xi64>
    acc.yield
  }
  acc.wait
  memref.dealloc %a : memref<64xi64>
  return
}

// -----

// Iterations of a linalg.generic may run at once: what is allocated inside has an arena inside.
#map = affine_map<(d0) -> (d0)>
// CHECK-LABEL: @inside_generic
// CHECK: linalg.generic
// CHECK: stowage.offset = 0
// CHECK: stowage.offset = 0
func.func @inside_generic(%x: memref<128xi64>, %o: memref<128xi64>) {
  %c0 = arith.constant 0 : index
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<128xi64>) outs(%o : memref<128xi64>) {
  ^bb0(%e: i64, %q: i64):
    %a = memref.alloc() : memref<64xi64>
    memref.store %e, %a[%c0] : memref<64xi64>
    %v = memref.load %a[%c0] : memref<64xi64>
    memref.dealloc %a : memref<64xi64>
    %b = memref.alloc() : memref<64xi64>
    memref.store %v, %b[%c0] : memref<64xi64>
    %w = memref.load %b[%c0] : memref<64xi64>
    memref.dealloc %b : memref<64xi64>
    linalg.yield %w : i64
  }
  return
}

// -----

// What orders threads is barriers, and lives do not see them.
// CHECK-LABEL: gpu.func @workgroup
// CHECK-COUNT-2: stowage.left_alone = "workgroup-memory"
gpu.module @kernels {
  gpu.func @workgroup(%o: memref<64xi64>, %v: i64) kernel {
    %t = gpu.thread_id x
    %a = memref.alloc() : memref<64xi64, #gpu.address_space<workgroup>>
    memref.store %v, %a[%t] : memref<64xi64, #gpu.address_space<workgroup>>
    memref.dealloc %a : memref<64xi64, #gpu.address_space<workgroup>>
    gpu.barrier
    %b = memref.alloc() : memref<64xi64, 3>
    memref.store %v, %b[%t] : memref<64xi64, 3>
    memref.dealloc %b : memref<64xi64, 3>
    gpu.return
  }
}

// -----

// memref.distinct_objects promises LLVM separate allocations: slices of one arena are none.
// CHECK-LABEL: @distinct_objects
// CHECK-COUNT-2: stowage.left_alone = "distinct-object"
func.func @distinct_objects(%i: index, %v: i64) {
  %a = memref.alloc() : memref<64xi64>
  %b = memref.alloc() : memref<64xi64>
  %d:2 = memref.distinct_objects %a, %b : memref<64xi64>, memref<64xi64>
  memref.store %v, %d#0[%i] : memref<64xi64>
  memref.store %v, %d#1[%i] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  memref.dealloc %b : memref<64xi64>
  return
}

// -----

// The initial value of a reduction reaches the reduction's region, though no interface says so.
// CHECK-LABEL: @initial_value
// CHECK: memref.alloc() {stowage.left_alone = "unknown-op"}
func.func @initial_value(%k: memref<64xi64>, %out: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = memref.alloc() : memref<64xi64>
  %r = scf.parallel (%p) = (%c0) to (%c1) step (%c1) init (%i) -> memref<64xi64> {
    scf.reduce(%k : memref<64xi64>) {
    ^bb0(%l: memref<64xi64>, %x: memref<64xi64>):
      %v = memref.load %l[%c0] : memref<64xi64>
      memref.store %v, %out[%c0] : memref<1xi64>
      scf.reduce.return %x : memref<64xi64>
    }
  }
  memref.dealloc %i : memref<64xi64>
  return
}

// -----

// A coroutine leaves its function at each suspension and comes back.
// CHECK-LABEL: @coroutine
// CHECK: memref.alloc() {stowage.left_alone = "coroutine"}
func.func @coroutine(%z: i64) {
  %c0 = arith.constant 0 : index
  %id = async.coro.id
  %a = memref.alloc() : memref<64xi64>
  memref.store %z, %a[%c0] : memref<64xi64>
  memref.dealloc %a : memref<64xi64>
  return
}

// -----

// A region without a terminator has no place where it ends.
// CHECK-LABEL: @no_end
// CHECK-COUNT-2: stowage.left_alone = "no-order"
func.func @no_end(%z: i64) {
  %c0 = arith.constant 0 : index
  acc.kernel_environment {
    %a = memref.alloc() : memref<8xi64>
    memref.store %z, %a[%c0] : memref<8xi64>
    %b = memref.alloc() : memref<8xi64>
    memref.store %z, %b[%c0] : memref<8xi64>
  }
  return
}
