// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What cannot fit is an error at what is in the way, and what would change a result is not done.

// RUN: split-file %s %t
// RUN: not stowage-opt %t/node.mlir --fit-memory=capacity-in-bytes=256 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NODE
// RUN: not stowage-opt %t/changed.mlir --fit-memory='capacity-in-bytes=512 reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANGED
// RUN: not stowage-opt %t/called.mlir --fit-memory='capacity-in-bytes=512 reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not stowage-opt %t/blocks.mlir --fit-memory='capacity-in-bytes=512 reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not stowage-opt %t/node.mlir --fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stowage-opt %t/node.mlir --fit-memory='capacity-in-bytes=512 spill-space=<' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not stowage-opt %t/bytes.mlir --fit-memory=capacity-in-bytes=128 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: echo 'module {}' | stowage-opt --fit-memory=capacity-in-bytes=1 2>&1 | FileCheck %s --check-prefix=EMPTY

// NODE: node.mlir:5:3: error: fit-memory: 'linalg.abs' alone needs 512 bytes, with what stays around it; capacity-in-bytes is 256
// CHANGED: changed.mlir:1:1: error: fit-memory: the function needs 768 bytes, capacity-in-bytes is 512: no ops that may run again make it fit
// CALLED: called.mlir:2:1: error: fit-memory: the function needs 768 bytes, capacity-in-bytes is 512: no ops that may run again make it fit
// BLOCKS: blocks.mlir:1:1: error: fit-memory: the function needs 768 bytes, capacity-in-bytes is 512: its body is more than one block
// NONE: error: fit-memory: capacity-in-bytes or memories must be given
// SPACE: error: fit-memory: spill-space=< is no second memory space
// BYTES: bytes.mlir:5:3: error: fit-memory: 'linalg.exp' alone needs 256 bytes
// EMPTY: fit-memory: no buffer that merge-alloc would plan: nothing is allocated

//--- node.mlir
func.func @node(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- changed.mlir
func.func @changed(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.copy %c, %y : memref<64xf32> to memref<64xf32>
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- called.mlir
func.func private @any(memref<64xf32>)
func.func @called(%x: memref<64xf32> {llvm.noalias}, %y: memref<64xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  func.call @any(%x) : (memref<64xf32>) -> ()
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- blocks.mlir
func.func @blocks(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  cf.br ^next
^next:
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- bytes.mlir
func.func @bytes(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %bytes = memref.alloc() : memref<256xi8>
  %a = memref.view %bytes[%c0][] : memref<256xi8> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %bytes : memref<256xi8>
  return
}
