// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed before and after, on a heap that poisons what it gives out.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(order-for-memory,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(order-for-memory,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{elide-copies order-for-memory stream-rows})' | FileCheck %s
// RUN: stowage-opt %s --order-for-memory --remarks-filter=order-for-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOLD

// CHECK: equal

// TOLD: function | {{.*}}Function=branches | {{.*}}arenas of
// TOLD: function | {{.*}}Function=overwritten | {{.*}}arenas of
// TOLD: function | {{.*}}Function=nested | {{.*}}arenas of
// TOLD: function | {{.*}}Function=scalars | {{.*}}arenas of
// TOLD: function | {{.*}}Function=blocks | {{.*}}arenas of
// TOLD: function | {{.*}}Function=joined | {{.*}}arenas of

func.func @print(%out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = memref.load %out[%i] : memref<4xf32>
    vector.print %v : f32
  }
  return
}

// Four branches, each large and then small, written level by level.
func.func @branches(%x: memref<64xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %sa = memref.alloc() : memref<f32>
  %sb = memref.alloc() : memref<f32>
  %sc = memref.alloc() : memref<f32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%sa : memref<f32>)
  linalg.fill ins(%zero : f32) outs(%sb : memref<f32>)
  linalg.fill ins(%zero : f32) outs(%sc : memref<f32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%sa : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%sb : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%c : memref<64xf32>) outs(%sc : memref<f32>) dimensions = [0]
  %va = memref.load %sa[] : memref<f32>
  %vb = memref.load %sb[] : memref<f32>
  %vc = memref.load %sc[] : memref<f32>
  memref.store %va, %out[%c0] : memref<4xf32>
  memref.store %vb, %out[%c1] : memref<4xf32>
  memref.store %vc, %out[%c2] : memref<4xf32>
  return
}

// %a serves twice: what reads it first comes before what writes it again.
func.func @overwritten(%x: memref<64xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %s = memref.alloc() : memref<3xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<3xf32>)
  %s0 = memref.subview %s[0] [1] [1] : memref<3xf32> to memref<f32, strided<[], offset: 0>>
  %s1 = memref.subview %s[1] [1] [1] : memref<3xf32> to memref<f32, strided<[], offset: 1>>
  %s2 = memref.subview %s[2] [1] [1] : memref<3xf32> to memref<f32, strided<[], offset: 2>>
  %c = memref.alloc() : memref<64xf32>
  linalg.floor ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s0 : memref<f32, strided<[], offset: 0>>) dimensions = [0]
  linalg.negf ins(%b : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%s1 : memref<f32, strided<[], offset: 1>>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s2 : memref<f32, strided<[], offset: 2>>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%c : memref<64xf32>) outs(%s2 : memref<f32, strided<[], offset: 2>>) dimensions = [0]
  %v0 = memref.load %s[%c0] : memref<3xf32>
  %v1 = memref.load %s[%c1] : memref<3xf32>
  %v2 = memref.load %s[%c2] : memref<3xf32>
  memref.store %v0, %out[%c0] : memref<4xf32>
  memref.store %v1, %out[%c1] : memref<4xf32>
  memref.store %v2, %out[%c2] : memref<4xf32>
  return
}

// The loop is one op from outside, and a block inside.
func.func @nested(%x: memref<64xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %total = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%total : memref<f32>)
  scf.for %i = %c0 to %c3 step %c1 {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.negf ins(%x : memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%total : memref<f32>) dimensions = [0]
    linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%total : memref<f32>) dimensions = [0]
    linalg.reduce { arith.addf } ins(%c : memref<64xf32>) outs(%total : memref<f32>) dimensions = [0]
  }
  %v = memref.load %total[] : memref<f32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// A number that is loaded keeps what writes it later behind the load.
func.func @scalars(%x: memref<64xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<f32>
  %t = memref.alloc() : memref<f32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s : memref<f32>) dimensions = [0]
  %v = memref.load %s[] : memref<f32>
  memref.store %zero, %s[] : memref<f32>
  %w = arith.addf %v, %v : f32
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%s : memref<f32>) dimensions = [0]
  memref.store %w, %t[] : memref<f32>
  %u = memref.load %s[] : memref<f32>
  %z = memref.load %t[] : memref<f32>
  memref.store %u, %out[%c0] : memref<4xf32>
  memref.store %z, %out[%c1] : memref<4xf32>
  return
}

// What a block makes is used by blocks behind it.
func.func @blocks(%x: memref<64xf32>, %out: memref<4xf32>, %if: i1) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = memref.alloc() : memref<2xf32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %s0 = memref.subview %s[0] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 0>>
  %s1 = memref.subview %s[1] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  linalg.fill ins(%zero : f32) outs(%s : memref<2xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%s0 : memref<f32, strided<[], offset: 0>>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%s1 : memref<f32, strided<[], offset: 1>>) dimensions = [0]
  %again = memref.subview %s[%c0] [1] [1] : memref<2xf32> to memref<1xf32, strided<[1], offset: ?>>
  cf.cond_br %if, ^then, ^end
^then:
  %v = memref.load %again[%c0] : memref<1xf32, strided<[1], offset: ?>>
  memref.store %v, %out[%c0] : memref<4xf32>
  cf.br ^end
^end:
  %w = memref.load %s[%c1] : memref<2xf32>
  memref.store %w, %out[%c1] : memref<4xf32>
  return
}

// Parts of one buffer are written in any order; what reads all of it comes behind.
func.func @joined(%x: memref<64xf32>, %out: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %both = memref.alloc() : memref<2xf32>
  %left = memref.subview %both[0] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 0>>
  %right = memref.subview %both[1] [1] [1] : memref<2xf32> to memref<f32, strided<[], offset: 1>>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%both : memref<2xf32>)
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%left : memref<f32, strided<[], offset: 0>>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%right : memref<f32, strided<[], offset: 1>>) dimensions = [0]
  %u = memref.load %both[%c0] : memref<2xf32>
  linalg.fill ins(%one : f32) outs(%both : memref<2xf32>)
  %v = memref.load %both[%c1] : memref<2xf32>
  memref.store %u, %out[%c0] : memref<4xf32>
  memref.store %v, %out[%c1] : memref<4xf32>
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %x = memref.alloc() : memref<64xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %small = arith.constant -0.0625 : f32
    %v = arith.mulf %f, %small : f32
    memref.store %v, %x[%i] : memref<64xf32>
  }
  %out = memref.alloc() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%out : memref<4xf32>)
  func.call @branches(%x, %out) : (memref<64xf32>, memref<4xf32>) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  func.call @overwritten(%x, %out) : (memref<64xf32>, memref<4xf32>) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  func.call @nested(%x, %out) : (memref<64xf32>, memref<4xf32>) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  func.call @scalars(%x, %out) : (memref<64xf32>, memref<4xf32>) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  func.call @joined(%x, %out) : (memref<64xf32>, memref<4xf32>) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  %true = arith.constant true
  func.call @blocks(%x, %out, %true) : (memref<64xf32>, memref<4xf32>, i1) -> ()
  func.call @print(%out) : (memref<4xf32>) -> ()
  memref.dealloc %x : memref<64xf32>
  memref.dealloc %out : memref<4xf32>
  return
}
