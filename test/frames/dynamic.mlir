// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="arena=argument public dynamic=exact emit-header=%t.h" --canonicalize --cse -o %t.mlir \
// RUN:     --remarks-filter=merge-alloc 2> %t.remarks
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: stowage-opt %s --merge-alloc="arena=argument public dynamic=exact" --check-arena-plan=samples=64 -o %t
// RUN: stowage-opt %s --merge-alloc="arena=argument public dynamic=exact report=text" -o %t 2>&1 | FileCheck %s --check-prefix=TREE
// RUN: stowage-opt %s --merge-alloc="arena=argument public dynamic=exact report=json:%t.json" -o %t
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: stowage-opt %s --merge-alloc="arena=argument entries=entry keep-wrapper dynamic=exact" --canonicalize --cse \
// RUN:     | FileCheck %s --check-prefix=WRAPPER
// RUN: stowage-opt %s --merge-alloc="arena=callback dynamic=exact" --canonicalize --cse | FileCheck %s --check-prefix=CALLBACK
// RUN: stowage-opt %s --merge-alloc="arena=global dynamic=exact" --remarks-filter=merge-alloc -o %t 2>&1 \
// RUN:     | FileCheck %s --check-prefix=GLOBAL

// Memory from the caller whose bytes its arguments say.

// TREE:      frames, those of callees inside of their callers'
// TREE-NEXT:   entry  {{[0-9]+}} B, aligned to 64, argument, bytes = max(4*n, 8*m)
// TREE-NEXT:     layer  {{[0-9]+}} B, aligned to 64, argument, 2 calls, bytes = 4*arg0[0]
// JSON: "function": "layer", {{.*}}"formula": "4*arg0[0]"

// CHECK-LABEL: func private @layer(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf32>, %[[ARENA:[a-z0-9]*]]: memref<?xi8>)
// CHECK:         %[[A:.*]] = memref.assume_alignment %[[ARENA]], 64 : memref<?xi8>
// CHECK:         memref.view %[[A]][%c0][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK-NOT:     memref.alloc
func.func private @layer(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  linalg.abs ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  return
}

// The larger of two calls, one after the other; the second with two rows of m.

// CHECK-LABEL: func @entry_arena_bytes(
// CHECK-SAME:    %[[N:.*]]: index, %[[M:.*]]: index) -> index
// CHECK-DAG:     %[[BN:.*]] = arith.muli %[[N]], %c4
// CHECK-DAG:     %[[BM:.*]] = arith.muli %[[M]], %c8
// CHECK:         %[[BYTES:.*]] = arith.maxsi %[[BN]], %[[BM]]
// CHECK:         return %[[BYTES]]
// CHECK-LABEL: func @entry_arena_alignment() -> index
// CHECK-LABEL: func @entry(
// CHECK-SAME:    %[[ARENA:[a-z0-9]*]]: memref<?xi8>)
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.*]] = memref.assume_alignment %[[ARENA]], 64
// CHECK:         %[[FIRST:.*]] = memref.view %[[A]][%c0][%{{.*}}] : memref<?xi8> to memref<?xi8>
// CHECK:         call @layer(%{{.*}}, %[[FIRST]])
// CHECK:         %[[SECOND:.*]] = memref.view %[[A]][%c0][%{{.*}}] : memref<?xi8> to memref<?xi8>
// CHECK:         call @layer(%{{.*}}, %[[SECOND]])
// CHECK-NOT:     memref.alloc

// HEADER-NOT:  ENTRY_ARENA_BYTES
// HEADER:      #define ENTRY_ARENA_ALIGNMENT 64
// HEADER-NEXT: /* n: dimension 0 of arg0
// HEADER-NEXT:  * m: dimension 1 of arg1
// HEADER-NEXT:  * bytes: max(4*n, 8*m) */
// HEADER-NEXT: intptr_t entry_arena_bytes(intptr_t n, intptr_t m);
// HEADER-NEXT: intptr_t entry_arena_alignment(void);
// HEADER:      *   arena: memref<?xi8>, entry_arena_bytes(n, m) bytes, aligned to 64
// HEADER:      void _mlir_ciface_entry(stowage_memref_float_1 *arg0, stowage_memref_float_2 *arg1, stowage_memref_int8_t_1 *arena);

// WRAPPER-LABEL: func @entry(
// WRAPPER:         %[[BYTES:.*]] = arith.maxsi
// WRAPPER:         memref.alloc(%[[BYTES]]) {alignment = 64 : i64} : memref<?xi8>
// WRAPPER:         call @entry_with_arena(
// WRAPPER:         memref.dealloc
// WRAPPER-LABEL: func @entry_arena_bytes(
// WRAPPER-SAME:    index, %{{.*}}: index)
// WRAPPER-LABEL: func @entry_with_arena(
// WRAPPER-NOT:     memref.alloc
// WRAPPER-LABEL: func @later(

// CALLBACK-LABEL: func @entry_arena_bytes(%{{.*}}: index, %{{.*}}: index)
// CALLBACK-LABEL: func @entry(
// CALLBACK:         %[[BYTES:.*]] = arith.maxsi
// CALLBACK:         call @stowage_arena(%[[BYTES]], %c64)
// CALLBACK:         call @layer
// CALLBACK:         call @layer
// CALLBACK:         call @stowage_arena_release

// GLOBAL: [Missed] dynamic-shape | Category:merge-alloc | Function=entry
// GLOBAL-SAME: Suggestion="state max in the stowage.dims of arguments and set dynamic=bound"
func.func @entry(%x: memref<?xf32> {stowage.dims = [{name = "n"}]},
                 %y: memref<2x?xf32> {stowage.dims = [{}, {name = "m"}]}) attributes {llvm.emit_c_interface} {
  call @layer(%x) : (memref<?xf32>) -> ()
  %flat = memref.collapse_shape %y [[0, 1]] : memref<2x?xf32> into memref<?xf32>
  call @layer(%flat) : (memref<?xf32>) -> ()
  return
}

// What is loaded no caller knows; what counts in a branch only may be any size elsewhere, and whether the second one
// is taken no caller knows. So the frame has the first buffer and the frame of the first call.

// HEADER: intptr_t later_arena_bytes(intptr_t arg0_0);

// CHECK-LABEL: func @later_arena_bytes(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index) -> index
// CHECK:         return
// CHECK-LABEL: func @later(
// CHECK:         memref.view %{{.*}} : memref<?xi8> to memref<?xf32>
// CHECK:         %[[K:.*]] = memref.load
// CHECK:         memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.if %arg2
// CHECK:           memref.view %assume_align
// CHECK-NEXT:      call @layer
// CHECK:         scf.if
// CHECK:           memref.view %alloc
// CHECK-NEXT:      call @layer

// REMARK: dynamic.mlir:[[#@LINE+13]]:8: remark: [Missed] no-frame | Category:merge-alloc | Function=later
// REMARK-SAME: Reason="its size does not follow from the function's arguments alone"
// REMARK-SAME: bytes that is allocated begins with this buffer"

// CALLBACK-LABEL: func @later(
// CALLBACK-COUNT-2: call @stowage_arena(
// CALLBACK-NOT:     memref.alloc
func.func @later(%x: memref<?xf32>, %sizes: memref<1xindex>, %bit: i1) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%x : memref<?xf32>) outs(%a : memref<?xf32>)
  %k = memref.load %sizes[%c0] : memref<1xindex>
  %b = memref.alloc(%k) : memref<?xf32>
  linalg.abs ins(%b : memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.abs ins(%a : memref<?xf32>) outs(%x : memref<?xf32>)
  scf.if %bit {
    func.call @layer(%x) : (memref<?xf32>) -> ()
  }
  %few = arith.cmpi slt, %k, %n : index
  scf.if %few {
    func.call @layer(%x) : (memref<?xf32>) -> ()
  }
  return
}

// A bit of the caller's is 0 or 1 among the arguments.

// CHECK-LABEL: func @sometimes_arena_bytes(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index, %[[BIT:[a-z0-9]*]]: index) -> index
// CHECK:         %[[SIZE:.*]] = arith.muli %[[N]], %[[BIT]]
// CHECK:         arith.muli %[[SIZE]], %c4

// HEADER:      /* arg0_0: dimension 0 of arg0
// HEADER-NEXT:  * arg1: arg1 itself
// HEADER:      intptr_t sometimes_arena_bytes(intptr_t arg0_0, intptr_t arg1);
func.func @sometimes(%x: memref<?xf32>, %bit: i1) {
  scf.if %bit {
    func.call @layer(%x) : (memref<?xf32>) -> ()
  }
  return
}

// What only the else branch has is in the frame as well.

// CHECK-LABEL: func @otherwise_arena_bytes(
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index, %[[BIT:[a-z0-9]*]]: index) -> index
// CHECK:         %[[NOT:.*]] = arith.subi %c1, %[[BIT]]
// CHECK:         %[[SIZE:.*]] = arith.muli %[[N]], %[[NOT]]
// CHECK:         return
// CHECK-LABEL: func @otherwise(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.if
// CHECK:         } else {
// CHECK:           memref.view %assume_align
// CHECK-NEXT:      call @layer
// REMARK:        Function=otherwise
// REMARK-SAME:   1 buffers of 256 bytes put into one arena of 256 bytes; live at the peak: 256 bytes; for arg0[0]=64: the arena
// REMARK-SAME:   has 4*arg0[0]*(1 - arg1) bytes
// REMARK-NOT:    Function=otherwise

// HEADER:      intptr_t otherwise_arena_bytes(intptr_t arg0_0, intptr_t arg1);
func.func @otherwise(%x: memref<?xf32>, %bit: i1) {
  scf.if %bit {
  } else {
    func.call @layer(%x) : (memref<?xf32>) -> ()
  }
  return
}
