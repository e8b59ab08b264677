// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc='unknown-ops=use' | FileCheck %s
// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(merge-alloc{unknown-ops=use})'

// unknown-ops=use speaks of what is not seen. One of the functions that this call may call stores what it
// is given, and the module has it.

memref.global "private" @kept : memref<1xmemref<4xi64>>

func.func private @keep(%m: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %slot = memref.get_global @kept : memref<1xmemref<4xi64>>
  memref.store %m, %slot[%c0] : memref<1xmemref<4xi64>>
  return
}
func.func private @drop(%m: memref<4xi64>) {
  return
}
func.func private @recall() -> i64 {
  %c0 = arith.constant 0 : index
  %slot = memref.get_global @kept : memref<1xmemref<4xi64>>
  %m = memref.load %slot[%c0] : memref<1xmemref<4xi64>>
  %v = memref.load %m[%c0] : memref<4xi64>
  return %v : i64
}

// CHECK-LABEL: func.func private @pass
// CHECK: memref.alloc() : memref<4xi64>
// CHECK: call_indirect
// CHECK: memref.alloc() {{.*}} : memref<32xi8>
func.func private @pass(%bit: i1, %x: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %keep = func.constant @keep : (memref<4xi64>) -> ()
  %drop = func.constant @drop : (memref<4xi64>) -> ()
  %f = arith.select %bit, %keep, %drop : (memref<4xi64>) -> ()
  %m = memref.alloc() : memref<4xi64>
  linalg.fill ins(%x : i64) outs(%m : memref<4xi64>)
  call_indirect %f(%m) : (memref<4xi64>) -> ()
  %n = memref.alloc() : memref<4xi64>
  %seven = arith.constant 7 : i64
  linalg.fill ins(%seven : i64) outs(%n : memref<4xi64>)
  %r = memref.load %n[%c0] : memref<4xi64>
  %k = func.call @recall() : () -> i64
  %s = arith.addi %k, %r : i64
  return %s : i64
}

func.func @main() {
  %true = arith.constant true
  %x = arith.constant 21 : i64
  %v = func.call @pass(%true, %x) : (i1, i64) -> i64
  vector.print %v : i64
  return
}
