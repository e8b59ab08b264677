// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a call returns is freed behind its last use. A stream in whose steps it is read keeps it longer,
// beside what the stream makes. No more bytes may be in use for that than before.

// RUN: stowage-opt %s --stream-rows=rows=1 | FileCheck %s
// RUN: stowage-opt %s --pass-pipeline='builtin.module(merge-alloc,buffer-deallocation)' -o %t.whole.mlir
// RUN: stowage-opt %s --pass-pipeline='builtin.module(stream-rows,merge-alloc,buffer-deallocation)' -o %t.rows.mlir
// RUN: %python "%root/exec/harness.py" compare whole=%t.whole.mlir rows=%t.rows.mlir | FileCheck %s --check-prefix=HEAP

// HEAP: rows {{ *[0-9,]+ +(100\.0|[0-9]?[0-9]\.[0-9])%}}

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func private @made(%x: memref<32x64xf32>) -> memref<32x64xf32> {
  %made = memref.alloc() : memref<32x64xf32>
  linalg.exp ins(%x : memref<32x64xf32>) outs(%made : memref<32x64xf32>)
  return %made : memref<32x64xf32>
}

// %large takes as much of the arena before as rows spare later. With %made and %y there at once the
// heap would hold more than with %made beside %joined.

// CHECK-LABEL: func.func @held
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @held(%x: memref<32x64xf32>) -> memref<32x32xf32> {
  %large = memref.alloc() : memref<32x64xf32>
  linalg.abs ins(%x : memref<32x64xf32>) outs(%large : memref<32x64xf32>)
  %made = call @made(%large) : (memref<32x64xf32>) -> memref<32x64xf32>
  %joined = memref.alloc() : memref<32x72xf32>
  %left = memref.subview %joined[0, 0] [32, 64] [1, 1] : memref<32x72xf32> to memref<32x64xf32, strided<[72, 1]>>
  %right = memref.subview %joined[0, 64] [32, 8] [1, 1] : memref<32x72xf32> to memref<32x8xf32, strided<[72, 1], offset: 64>>
  %part = memref.subview %x[0, 8] [32, 8] [1, 1] : memref<32x64xf32> to memref<32x8xf32, strided<[64, 1], offset: 8>>
  memref.copy %made, %left : memref<32x64xf32> to memref<32x64xf32, strided<[72, 1]>>
  memref.copy %part, %right : memref<32x8xf32, strided<[64, 1], offset: 8>> to memref<32x8xf32, strided<[72, 1], offset: 64>>
  %y = memref.alloc() : memref<32x32xf32>
  %some = memref.subview %joined[0, 36] [32, 32] [1, 1] : memref<32x72xf32> to memref<32x32xf32, strided<[72, 1], offset: 36>>
  linalg.abs ins(%some : memref<32x32xf32, strided<[72, 1], offset: 36>>) outs(%y : memref<32x32xf32>)
  return %y : memref<32x32xf32>
}

// Without %large, rows spare more than %y has.

// CHECK-LABEL: func.func @spared
// CHECK:         call @made
// CHECK:         scf.for
// CHECK:         return
func.func @spared(%x: memref<32x64xf32>) -> memref<32x32xf32> {
  %made = call @made(%x) : (memref<32x64xf32>) -> memref<32x64xf32>
  %joined = memref.alloc() : memref<32x72xf32>
  %left = memref.subview %joined[0, 0] [32, 64] [1, 1] : memref<32x72xf32> to memref<32x64xf32, strided<[72, 1]>>
  %right = memref.subview %joined[0, 64] [32, 8] [1, 1] : memref<32x72xf32> to memref<32x8xf32, strided<[72, 1], offset: 64>>
  %part = memref.subview %x[0, 8] [32, 8] [1, 1] : memref<32x64xf32> to memref<32x8xf32, strided<[64, 1], offset: 8>>
  memref.copy %made, %left : memref<32x64xf32> to memref<32x64xf32, strided<[72, 1]>>
  memref.copy %part, %right : memref<32x8xf32, strided<[64, 1], offset: 8>> to memref<32x8xf32, strided<[72, 1], offset: 64>>
  %y = memref.alloc() : memref<32x32xf32>
  %some = memref.subview %joined[0, 36] [32, 32] [1, 1] : memref<32x72xf32> to memref<32x32xf32, strided<[72, 1], offset: 36>>
  linalg.abs ins(%some : memref<32x32xf32, strided<[72, 1], offset: 36>>) outs(%y : memref<32x32xf32>)
  return %y : memref<32x32xf32>
}

// The heap gives what @aligned_result returns 64 bytes more than its type says. With it in the steps, rows
// of %rows would spare less than %made and %y then hold at once.

// CHECK-LABEL: func.func @aligned
// CHECK-NOT:     scf.for
// CHECK:         return
func.func private @aligned_result(%x: memref<16x16xf32>) -> memref<16x16xf32> {
  %made = memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
  linalg.exp ins(%x : memref<16x16xf32>) outs(%made : memref<16x16xf32>)
  return %made : memref<16x16xf32>
}

func.func @aligned(%x: memref<16x16xf32>) -> (memref<16xf32>, memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %given = memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
  linalg.abs ins(%x : memref<16x16xf32>) outs(%given : memref<16x16xf32>)
  %rows = memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%rows : memref<16x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  %made = call @aligned_result(%given) : (memref<16x16xf32>) -> memref<16x16xf32>
  %sums = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
  linalg.fill ins(%zero : f32) outs(%sums : memref<16xf32>)
  linalg.reduce { arith.addf } ins(%made : memref<16x16xf32>) outs(%sums : memref<16xf32>) dimensions = [1]
  %y = memref.alloc() {alignment = 64 : i64} : memref<16x16xf32>
  linalg.copy ins(%rows : memref<16x16xf32>) outs(%y : memref<16x16xf32>)
  return %sums, %y : memref<16xf32>, memref<16x16xf32>
}

// What is first written behind the steps is made there, not beside them.

// CHECK-LABEL: func.func @later
// CHECK:         memref.alloc() : memref<32x64xf32>
// CHECK-NOT:     memref.alloc() : memref<32x64xf32>
// CHECK:         scf.for
// CHECK:         call @made
// CHECK-NEXT:    memref.alloc() : memref<32x64xf32>
// CHECK-NEXT:    linalg.sqrt
// CHECK-NEXT:    return
func.func @later(%x: memref<32x64xf32>) -> (memref<32x64xf32>, memref<32x64xf32>) {
  %rows = memref.alloc() : memref<32x64xf32>
  linalg.abs ins(%x : memref<32x64xf32>) outs(%rows : memref<32x64xf32>)
  %made = call @made(%x) : (memref<32x64xf32>) -> memref<32x64xf32>
  %y = memref.alloc() : memref<32x64xf32>
  linalg.sqrt ins(%made : memref<32x64xf32>) outs(%y : memref<32x64xf32>)
  %z = memref.alloc() : memref<32x64xf32>
  linalg.sqrt ins(%rows : memref<32x64xf32>) outs(%z : memref<32x64xf32>)
  return %y, %z : memref<32x64xf32>, memref<32x64xf32>
}

func.func @main() {
  %c5 = arith.constant 5 : index
  %x = memref.alloc() : memref<32x64xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%x : memref<32x64xf32>) {
  ^bb0(%out: f32):
    %by = arith.constant 0.03125 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ij = arith.subi %i, %j : index
    %number = arith.index_cast %ij : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %by : f32
    linalg.yield %small : f32
  }
  %one = call @held(%x) : (memref<32x64xf32>) -> memref<32x32xf32>
  %first = memref.load %one[%c5, %c5] : memref<32x32xf32>
  vector.print %first : f32
  return
}
