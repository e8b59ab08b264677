// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: split-file %s %t
// RUN: stowage-opt %t/four.mlir --merge-alloc='arena=argument public report=json:%t.json' --check-arena-plan --remarks-filter=merge-alloc -o %t.out 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: FileCheck %s --check-prefix=VIEWS < %t.out
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: stowage-opt %t/large.mlir --merge-alloc='arena=argument public' --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: stowage-opt %t/named.mlir --merge-alloc='arena=argument public' --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: stowage-opt %t/called.mlir --merge-alloc='arena=argument entries=main' --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALLED

// In a memory with banks, buffers that one op uses are in different banks, if this takes no more bytes; through views, too.

// FOUR: 4 buffers of 512 bytes {{.*}} 512 bytes; pairs in different banks: 4 of 4
// VIEWS-COUNT-4: memref.view
// VIEWS: return
// JSON: "bank_pairs": 4
// JSON: "bank_pairs_apart": 4

// One bank has room for two of three buffers that are used together.
// LARGE: 3 buffers of 384 bytes {{.*}} 384 bytes; pairs in different banks: 2 of 3

// Only memories with banks are planned this way.
// NAMED-DAG: 2 buffers of 256 bytes {{.*}} 256 bytes; live at the peak: 256 bytes"
// NAMED-DAG: 2 buffers of 256 bytes {{.*}} 256 bytes; live at the peak: 256 bytes; pairs in different banks: 1 of 1

// Where a callee's arena begins is its caller's choice.
// CALLED-NOT: different banks

//--- four.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 512, banks = 2}]} {
  func.func @four(%x: memref<32xf32>, %y: memref<32xf32>) {
    %a = memref.alloc() : memref<32xf32>
    %b = memref.alloc() : memref<8x4xf32>
    %c = memref.alloc() : memref<32xf32>
    %d = memref.alloc() : memref<32xf32>
    %flat = memref.collapse_shape %b [[0, 1]] : memref<8x4xf32> into memref<32xf32>
    linalg.exp ins(%x : memref<32xf32>) outs(%a : memref<32xf32>)
    linalg.abs ins(%a : memref<32xf32>) outs(%flat : memref<32xf32>)
    linalg.negf ins(%x : memref<32xf32>) outs(%c : memref<32xf32>)
    linalg.abs ins(%c : memref<32xf32>) outs(%d : memref<32xf32>)
    linalg.add ins(%a, %c : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    linalg.sub ins(%flat, %d : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    return
  }
}

//--- large.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 512, banks = 2}]} {
  func.func @large(%x: memref<32xf32>, %y: memref<32xf32>) {
    %a = memref.alloc() : memref<32xf32>
    %b = memref.alloc() : memref<32xf32>
    %c = memref.alloc() : memref<32xf32>
    linalg.exp ins(%x : memref<32xf32>) outs(%a : memref<32xf32>)
    linalg.abs ins(%x : memref<32xf32>) outs(%b : memref<32xf32>)
    linalg.add ins(%a, %b : memref<32xf32>, memref<32xf32>) outs(%c : memref<32xf32>)
    linalg.mul ins(%c, %a : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    linalg.mul ins(%c, %b : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    return
  }
}

//--- named.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 256, banks = 2}, {name = "dram", bytes = 4096, cost = 2}, {name = "flash", bytes = 256, banks = 2, cost = 4, constants, read_only}]} {
  func.func @named(%x: memref<32xf32>, %y: memref<32xf32>) {
    %a = memref.alloc() : memref<32xf32, "sram">
    %b = memref.alloc() : memref<32xf32, "sram">
    %c = memref.alloc() : memref<32xf32>
    %d = memref.alloc() : memref<32xf32>
    linalg.exp ins(%x : memref<32xf32>) outs(%a : memref<32xf32, "sram">)
    linalg.abs ins(%a : memref<32xf32, "sram">) outs(%b : memref<32xf32, "sram">)
    linalg.add ins(%a, %b : memref<32xf32, "sram">, memref<32xf32, "sram">) outs(%c : memref<32xf32>)
    linalg.abs ins(%c : memref<32xf32>) outs(%d : memref<32xf32>)
    linalg.add ins(%c, %d : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    return
  }
}

//--- called.mlir
module attributes {stowage.memories = [{name = "sram", bytes = 512, banks = 2}]} {
  func.func private @inner(%x: memref<32xf32>, %y: memref<32xf32>) {
    %a = memref.alloc() : memref<32xf32>
    %b = memref.alloc() : memref<32xf32>
    linalg.exp ins(%x : memref<32xf32>) outs(%a : memref<32xf32>)
    linalg.abs ins(%a : memref<32xf32>) outs(%b : memref<32xf32>)
    linalg.add ins(%a, %b : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
    return
  }
  func.func @main(%x: memref<32xf32>, %y: memref<32xf32>) {
    call @inner(%x, %y) : (memref<32xf32>, memref<32xf32>) -> ()
    return
  }
}
