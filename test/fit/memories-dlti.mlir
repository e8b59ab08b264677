// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The target's devices are memories where they have such keys; the result is that of a file with the same members.

// RUN: split-file %s %t
// RUN: stowage-opt %t/net.mlir --fit-memory='reduce-peak=false' -o %t/target.mlir
// RUN: FileCheck %s < %t/target.mlir
// RUN: stowage-opt %t/net.mlir --fit-memory='memories=%t/same.txt reduce-peak=false' -o %t/file.mlir
// RUN: sed 's/, stowage.memories = .*] *}/}/' %t/file.mlir > %t/without.mlir
// RUN: diff %t/target.mlir %t/without.mlir
// RUN: stowage-opt %t/target.mlir --lower-memory-spaces | FileCheck %s --check-prefix=LOWERED
// RUN: not stowage-opt %t/wrong.mlir --fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not stowage-opt %t/none.mlir --fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: module attributes {dlti.target_system_spec
// CHECK-NOT: stowage.memories
// CHECK: memref.alloc() : memref<64xf32, "tcm">
// CHECK: memref.alloc() {alignment = 128 : i64} : memref<64xf32>
// LOWERED: module attributes {dlti.target_system_spec
// LOWERED: memref.alloc() : memref<64xf32, 1>
// WRONG: wrong.mlir:1:1: error: memory 1: it has name, bytes, cost, alignment, space, banks, copied, default, constants and read_only, but no ports
// NONE: error: fit-memory: capacity-in-bytes or memories must be given

//--- same.txt
[{name = "tcm", bytes = 512, space = 1}, {name = "dram", bytes = 65536, cost = 2, alignment = 128, default}]

//--- net.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 32768 : i32>,
  "sram" = #dlti.target_device_spec<"stowage.name" = "tcm", "stowage.bytes" = 512 : i64, "stowage.space" = 1 : i64, "banks" = 4 : i32>,
  "dram" = #dlti.target_device_spec<"stowage.bytes" = 65536 : i64, "stowage.cost" = 2 : i64, "stowage.alignment" = 128 : i64, "stowage.default" = unit>>} {
  func.func @net(%x: memref<64xf32>, %y: memref<64xf32>) {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    return
  }
}

//--- wrong.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "sram" = #dlti.target_device_spec<"stowage.bytes" = 512 : i64, "stowage.ports" = 2 : i64>>} {}

//--- none.mlir
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "CPU" = #dlti.target_device_spec<"L1_cache_size_in_bytes" = 32768 : i32>>} {}
