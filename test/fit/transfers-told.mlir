// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is told of the fast memory is what merge-alloc then makes there, with the halves of constants that come by rows: in the
// remark, as text and as JSON. Also of a function without a buffer of its own.

// RUN: echo '[{name = "sram", bytes = 4000}, {name = "dram", bytes = 65536, cost = 2}, {name = "flash", bytes = 65536, cost = 6, constants, read_only}]' > %t.txt
// RUN: stowage-opt %s --fit-memory='memories=%t.txt dma reduce-peak=false report=text:%t.told,json:%t.json' --merge-alloc --remarks-filter='fit-memory|merge-alloc' -o /dev/null > %t.remarks 2>&1
// RUN: cat %t.remarks %t.told %t.json > %t.all
// RUN: FileCheck %s < %t.all

// CHECK: Function=between | Remark="sram: arenas of [[#BETWEEN:]] bytes, not 384"
// CHECK: Function=between | Remark="constants copied from flash: 0, of 0 bytes; by rows: 1, of 3072 bytes
// CHECK: Function=alone | Remark="sram: arenas of [[#ALONE:]] bytes, not 0"
// CHECK: Function=alone | Remark="constants copied from flash: {{.*}}by rows: 1, of 3072 bytes
// CHECK: Function=between | Remark="2 buffers of {{.*}} put into one arena of [[#BETWEEN]] bytes;
// CHECK: Function=alone | Remark="{{.*}} put into one arena of [[#ALONE]] bytes;
// CHECK: function between: arenas of [[#BETWEEN]] bytes, not 384
// CHECK-NEXT: sram: [[#BETWEEN]] of 4000 bytes
// CHECK-NEXT: dram: 0 of 65536 bytes
// CHECK: function alone: arenas of [[#ALONE]] bytes, not 0
// CHECK-NEXT: sram: [[#ALONE]] of 4000 bytes
// CHECK: "function": "between", "arena_before": 384, "arena_after": [[#BETWEEN]],
// CHECK-NEXT: "arenas": [
// CHECK-NEXT: {{^ +}}[[#BETWEEN]],
// CHECK: "function": "alone", "arena_before": 0, "arena_after": [[#ALONE]],
// CHECK-NEXT: "arenas": [
// CHECK-NEXT: {{^ +}}[[#ALONE]],

memref.global "private" constant @w : memref<64x48xi8> = dense<5>
memref.global "private" constant @v : memref<2x64xi8> = dense<3>

func.func @between(%x: memref<2x64xi8>, %y: memref<2x48xi32>) {
  %zero = arith.constant 0 : i32
  %w = memref.get_global @w : memref<64x48xi8>
  %a = memref.alloc() : memref<2x48xi32>
  linalg.fill ins(%zero : i32) outs(%a : memref<2x48xi32>)
  linalg.matmul ins(%x, %w : memref<2x64xi8>, memref<64x48xi8>) outs(%a : memref<2x48xi32>)
  memref.copy %a, %y : memref<2x48xi32> to memref<2x48xi32>
  return
}

func.func @alone(%y: memref<2x48xi32>) {
  %v = memref.get_global @v : memref<2x64xi8>
  %w = memref.get_global @w : memref<64x48xi8>
  linalg.matmul ins(%v, %w : memref<2x64xi8>, memref<64x48xi8>) outs(%y : memref<2x48xi32>)
  return
}
