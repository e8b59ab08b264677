// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A buffer has the alignment of the memory it is in, and none that it only came through; the default memory may be named, and has
// an alignment, too. What has an offset stays where it is, also in a loop.

// RUN: split-file %s %t
// RUN: stowage-opt %t/net.mlir --fit-memory='memories=%t/through.txt reduce-peak=false' | FileCheck %s --check-prefix=THROUGH
// RUN: stowage-opt %t/net.mlir --fit-memory='memories=%t/copied.txt reduce-peak=false' | FileCheck %s --check-prefix=COPIED
// RUN: stowage-opt %t/named.mlir --fit-memory='memories=%t/named.txt reduce-peak=false' | FileCheck %s --check-prefix=NAMED
// RUN: stowage-opt %t/named.mlir --fit-memory='memories=%t/named.txt reduce-peak=false' --lower-memory-spaces | FileCheck %s --check-prefix=LOWERED
// RUN: stowage-opt %t/lowered.mlir --lower-memory-spaces | FileCheck %s --check-prefix=LOWERED
// RUN: stowage-opt %t/offset.mlir --fit-memory='memories=%t/named.txt reduce-peak=false' | FileCheck %s --check-prefix=OFFSET
// RUN: not stowage-opt %t/offset.mlir --fit-memory='capacity-in-bytes=600 reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BEHIND

// RUN: stowage-opt %t/hole.mlir --fit-memory='memories=%t/hole.txt reduce-peak=false' | FileCheck %s --check-prefix=HOLE

// The second buffer would lie behind a hole that is larger than the memory.
// HOLE: memref.alloc() {alignment = 256 : i64} : memref<16xf32, "sram">
// HOLE: memref.alloc() : memref<16xf32>
// THROUGH-DAG: memref.alloc() {alignment = 256 : i64} : memref<64xf32, "tcm">
// THROUGH-DAG: memref.alloc() {alignment = 128 : i64} : memref<64xf32>
// THROUGH-NOT: own_alignment
// COPIED: memref.alloc() : memref<64xf32, "back">
// COPIED-NOT: own_alignment
// NAMED: func.func @named(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>)
// NAMED: memref.alloc() : memref<64xf32, "sram">
// NAMED: memref.alloc() {alignment = 32 : i64} : memref<64xf32>
// NAMED-NOT: "dram">
// LOWERED: func.func @named
// LOWERED-NOT: "dram"
// OFFSET: memref.alloc() : memref<64xf32, "sram">
// OFFSET: memref.alloc() {stowage.offset = 1024 : i64} : memref<64xf32>
// BEHIND: offset.mlir:8:14: error: fit-memory: by its stowage.offset the buffer ends at 1280, capacity-in-bytes is 600; state a lower offset, or remove the attribute

//--- hole.txt
[{name = "sram", bytes = 128, alignment = 256}, {name = "dram", bytes = 4096, cost = 2}]
//--- hole.mlir
func.func @hole(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.exp ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  linalg.exp ins(%a : memref<16xf32>) outs(%b : memref<16xf32>)
  linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
//--- through.txt
[{name = "tcm", bytes = 512, alignment = 256}, {name = "dram", bytes = 65536, cost = 2, alignment = 128}]
//--- copied.txt
[{name = "sram", bytes = 512, alignment = 64}, {name = "back", bytes = 4096, copied}]
//--- named.txt
[{name = "sram", bytes = 512}, {name = "dram", bytes = 65536, cost = 2, alignment = 32}]

//--- net.mlir
func.func @net(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.copy ins(%b : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- named.mlir
func.func @named(%x: memref<64xf32, "dram">, %y: memref<64xf32>) {
  %bit = arith.constant true
  %a = memref.alloc() : memref<64xf32, "dram">
  %b = memref.alloc() : memref<64xf32, "dram">
  linalg.exp ins(%x : memref<64xf32, "dram">) outs(%a : memref<64xf32, "dram">)
  %one = arith.select %bit, %b, %x : memref<64xf32, "dram">
  linalg.abs ins(%a : memref<64xf32, "dram">) outs(%b : memref<64xf32, "dram">)
  linalg.add ins(%a, %one : memref<64xf32, "dram">, memref<64xf32, "dram">) outs(%y : memref<64xf32>)
  return
}

//--- lowered.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 512}, {name = "dram", bytes = 65536}]} {
  func.func @named(%x: memref<64xf32, "dram">, %y: memref<64xf32>) {
    linalg.exp ins(%x : memref<64xf32, "dram">) outs(%y : memref<64xf32>)
    return
  }
}

//--- offset.mlir
func.func @net(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    %small = memref.alloc() {stowage.offset = 1024 : i64} : memref<64xf32>
    linalg.negf ins(%a : memref<64xf32>) outs(%small : memref<64xf32>)
    linalg.floor ins(%small : memref<64xf32>) outs(%y : memref<64xf32>)
  }
  return
}
