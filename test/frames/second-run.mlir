// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A second run leaves alone what the first one made.

// RUN: stowage-opt %s --merge-alloc=arena=stack -o %t.stack && stowage-opt %t.stack --merge-alloc=arena=stack | diff %t.stack -
// RUN: stowage-opt %s --merge-alloc=arena=global -o %t.global && stowage-opt %t.global --merge-alloc=arena=global | diff %t.global -
// RUN: stowage-opt %s --merge-alloc=arena=callback -o %t.callback && stowage-opt %t.callback --merge-alloc=arena=callback | diff %t.callback -
// RUN: stowage-opt %s --merge-alloc="arena=argument public" -o %t.argument && stowage-opt %t.argument --merge-alloc="arena=argument public" | diff %t.argument -
// RUN: stowage-opt %s --merge-alloc="arena=global dynamic=exact" -o %t.exact && stowage-opt %t.exact --merge-alloc="arena=global dynamic=exact" | diff %t.exact -
// RUN: FileCheck %s < %t.global

// CHECK: func.func @f_arena_bytes() -> index
// CHECK: func.func @called_arena_bytes() -> index
// CHECK: func.func @rows_arena_bytes

func.func @f(%x: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  memref.dealloc %b : memref<64xf32>
  call @called(%x) : (f32) -> ()
  return
}
func.func @called(%x: f32) {
  %a = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<32xf32>)
  memref.dealloc %a : memref<32xf32>
  return
}
func.func @rows(%n: index, %x: f32) {
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %a : memref<?xf32>
  return
}
