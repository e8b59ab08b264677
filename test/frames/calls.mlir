// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="arena=argument public" -o %t.argument
// RUN: FileCheck %s --check-prefixes=CHECK,ARGUMENT < %t.argument
// RUN: stowage-opt %t.argument --check-arena-plan -o %t
// RUN: stowage-opt %s --merge-alloc=arena=global -o %t.global
// RUN: FileCheck %s --check-prefixes=CHECK,GLOBAL < %t.global
// RUN: stowage-opt %t.global --check-arena-plan -o %t
// RUN: stowage-opt %s --merge-alloc=arena=stack --check-arena-plan | FileCheck %s --check-prefixes=CHECK,STACK
// RUN: stowage-opt %s --merge-alloc="arena=stack arena-stack-limit-in-bytes=700" | FileCheck %s --check-prefix=LIMIT
// RUN: stowage-opt %s --merge-alloc="arena=stack arena-stack-limit-in-bytes=700 report=text" -o %t 2>&1 | FileCheck %s --check-prefix=LIMIT-TREE
// RUN: stowage-opt %s --merge-alloc=arena=callback --check-arena-plan | FileCheck %s --check-prefixes=CHECK,CALLBACK
// RUN: stowage-opt %s --merge-alloc="arena=callback callback=give" | FileCheck %s --check-prefix=NAMED
// RUN: stowage-opt %s --merge-alloc="arena=argument entries=idle" | FileCheck %s --check-prefixes=CHECK,UNASKED
// RUN: stowage-opt %s --merge-alloc="arena=argument entries=entry keep-wrapper" | FileCheck %s --check-prefix=WRAPPER
// RUN: stowage-opt %s --merge-alloc="arena=global report=text" -o %t 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: stowage-opt %s --merge-alloc="arena=global report=json:%t.json" -o %t
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// Frames of callees lie in those of their callers, also where a function is called twice at a time.

// NAMED-DAG: func private @give(index, index) -> (memref<?xi8> {stowage.borrowed})
// NAMED-DAG: func private @give_release(memref<?xi8>)

// TREE:      frames, those of callees inside of their callers'
// TREE-NEXT:   entry  768 B, aligned to 64, global
// TREE-NEXT:     layer  512 B, aligned to 64, argument, 2 calls
// TREE-NEXT:       leaf  256 B, aligned to 64, argument, 2 calls
// TREE-NEXT:   idle  0 B, aligned to 1, global

// JSON: "layer": "frame of leaf"
// JSON: "frames": [
// JSON-NEXT: {"function": "entry", "kind": "global", "memory_space": "", "bytes": 768, "alignment": 64, "depth": 0, "calls": 0, "above": false},
// JSON-NEXT: {"function": "layer", "kind": "argument", {{.*}}"bytes": 512, "alignment": 64, "depth": 1, "calls": 2, "above": false},

// CHECK-LABEL: func private @leaf
// CHECK-SAME:    %[[F:[a-z0-9]*]]: memref<256xi8>)
// CHECK-NEXT:    %[[A:.*]] = memref.assume_alignment %[[F]], 64
// CHECK:         memref.view %[[A]][%{{.*}}][] : memref<256xi8> to memref<64xf32>
// CHECK-NOT:     memref.alloc
func.func private @leaf(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func private @layer
// CHECK-SAME:    memref<512xi8>)
// CHECK-NOT:     memref.alloc
// CHECK:         %[[FIRST:.*]] = memref.view %{{.*}} : memref<512xi8> to memref<256xi8>
// CHECK-NEXT:    call @leaf(%{{.*}}, %{{.*}}, %[[FIRST]])
// CHECK:         %[[SECOND:.*]] = memref.view %{{.*}} : memref<512xi8> to memref<256xi8>
// CHECK-NEXT:    call @leaf(%{{.*}}, %{{.*}}, %[[SECOND]])
func.func private @layer(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  call @leaf(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @leaf(%a, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// The functions that tell the size are there for entries only, and also for no bytes.

// ARGUMENT:      func @entry_arena_bytes() -> index
// ARGUMENT-NEXT:   %[[BYTES:.*]] = arith.constant 768
// ARGUMENT-NEXT:   return %[[BYTES]]
// ARGUMENT:      func @entry_arena_alignment() -> index
// ARGUMENT-NEXT:   %[[ALIGNMENT:.*]] = arith.constant 64
// ARGUMENT-LABEL: func @entry(
// ARGUMENT-SAME:   memref<768xi8>)
// ARGUMENT-NOT:    memref.alloc
// ARGUMENT:        return

// GLOBAL:        memref.global "private" @entry_arena_0 : memref<768xi8> = uninitialized {alignment = 64 : i64}
// GLOBAL:        func @entry_arena_bytes()
// GLOBAL-LABEL:  func @entry(
// GLOBAL-NOT:    memref<768xi8>)
// GLOBAL:        memref.get_global @entry_arena_0

// STACK-LABEL:   func @entry(
// STACK-NEXT:    memref.alloca() {alignment = 64 : i64} : memref<768xi8>

// What is too large for the stack is needed all the same.
// LIMIT-TREE:    entry  768 B, aligned to 64, heap
// LIMIT-TREE-NEXT: layer  512 B, aligned to 64, argument, 2 calls
// LIMIT:         func @entry_arena_bytes()
// LIMIT-NEXT:      arith.constant 768
// LIMIT-LABEL:   func @entry(
// LIMIT:         memref.alloc() {alignment = 64 : i64} : memref<768xi8>
// LIMIT:         memref.dealloc

// CALLBACK-LABEL: func @entry(
// CALLBACK-DAG:   %[[BYTES:.*]] = arith.constant 768
// CALLBACK-DAG:   %[[ALIGNMENT:.*]] = arith.constant 64
// CALLBACK:       %[[GIVEN:.*]] = call @stowage_arena(%[[BYTES]], %[[ALIGNMENT]])
// CALLBACK:       call @stowage_arena_release(
// CALLBACK-NEXT:  return

// UNASKED-NOT:   entry_arena_bytes
// UNASKED-LABEL: func @entry(
// UNASKED:       memref.alloc() {alignment = 64 : i64} : memref<768xi8>
// UNASKED:       memref.dealloc

// WRAPPER-LABEL: func @entry(
// WRAPPER-SAME:    %[[X:[a-z0-9]*]]: memref<64xf32>, %[[Y:[a-z0-9]*]]: memref<64xf32>)
// WRAPPER-NEXT:    %[[OWN:.*]] = memref.alloc() {alignment = 64 : i64} : memref<768xi8>
// WRAPPER:         %[[FRAME:.*]] = memref.view %[[OWN]][%{{.*}}][] : memref<768xi8> to memref<768xi8>
// WRAPPER-NEXT:    call @entry_with_arena(%[[X]], %[[Y]], %[[FRAME]])
// WRAPPER-NEXT:    memref.dealloc %[[OWN]]
// WRAPPER:       func @entry_arena_bytes()
// WRAPPER:       func @entry_with_arena(
func.func @entry(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  call @layer(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @layer(%a, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

memref.global "private" @entry_arena : memref<4xi8> = dense<0>

// ARGUMENT:       func @idle_arena_bytes() -> index
// ARGUMENT-NEXT:    arith.constant 0
// ARGUMENT-LABEL: func @idle(
// ARGUMENT-SAME:    memref<0xi8>)
// GLOBAL-LABEL:   func @idle()
func.func @idle() {
  return
}
