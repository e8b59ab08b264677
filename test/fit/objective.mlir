// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A product has many operations and few bytes. In the least time it is spilled, with the least traffic computed again. The
// traffic is that of the ops that run again, or of what is copied: read from one memory, written to the other.

// DEFINE: %{all} = capacity-in-bytes=2KiB reduce-peak=false spill-space=1
// RUN: stowage-opt %s --fit-memory='%{all} report=text' -o %t.time.mlir --remarks-filter=fit-memory 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: stowage-opt %s --fit-memory='%{all} objective=time' -o %t.same.mlir
// RUN: diff %t.time.mlir %t.same.mlir
// RUN: stowage-opt %s --fit-memory='%{all} objective=traffic report=text,json:%t.json,html:%t.html' --remarks-filter=fit-memory 2>&1 | FileCheck %s --check-prefix=TRAFFIC
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// RUN: stowage-opt %s --fit-memory='%{all} spill-cost=1 objective=traffic' -o /dev/null --remarks-filter=fit-memory 2>&1 | FileCheck %s --check-prefix=SPILLED
// RUN: not stowage-opt %s --fit-memory='%{all} objective=energy' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{%{all} objective=traffic},merge-alloc{poison capacity-in-bytes=2048},check-arena-plan,buffer-deallocation)' | FileCheck %s

// CHECK: equal

// TIME: arenas of 2048 bytes, not 3072; buffers spilled: 1, with 2048 bytes copied; 34.40 % more time by the model
// TIME: bytes alive       more time        at least

// Of 14 * 1024 bytes 7 * 1024.
// TRAFFIC: arenas of 2048 bytes, not 3072; ops that run again: 3; 50.00 % more traffic by the model, at least 50.00 %
// TRAFFIC: bytes alive    more traffic        at least
// TRAFFIC: linalg.matmul
// TRAFFIC: linalg.matmul

// JSON: "objective": "traffic",
// JSON: {"function": "product", "arena_before": 3072, "arena_after": 2048, "cost": 14336,
// JSON: {"bytes": 2048, "cost": 7168, "bound": 7168,
// PAGE: aria-label="bytes alive against traffic"

// Of 14 * 1024 bytes 2 * 1024 in each memory.
// SPILLED: buffers spilled: 1, with 2048 bytes copied; 28.57 % more traffic by the model

// ERROR: error: fit-memory: objective must be time or traffic, not 'energy'

func.func @product(%x: memref<16x16xf32>, %w: memref<16x16xf32>, %y: memref<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  %c = memref.alloc() : memref<16x16xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<16x16xf32>)
  linalg.matmul ins(%x, %w : memref<16x16xf32>, memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.add ins(%a, %x : memref<16x16xf32>, memref<16x16xf32>) outs(%a : memref<16x16xf32>)
  linalg.abs ins(%w : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  linalg.negf ins(%b : memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  linalg.add ins(%a, %c : memref<16x16xf32>, memref<16x16xf32>) outs(%y : memref<16x16xf32>)
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %x = memref.alloc() : memref<16x16xf32>
  %y = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<16x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %number = arith.index_cast %sum : index to i32
    %float = arith.sitofp %number : i32 to f32
    linalg.yield %float : f32
  }
  call @product(%x, %x, %y) : (memref<16x16xf32>, memref<16x16xf32>, memref<16x16xf32>) -> ()
  scf.for %i = %c0 to %c16 step %c1 {
    %v = memref.load %y[%i, %i] : memref<16x16xf32>
    vector.print %v : f32
  }
  return
}
