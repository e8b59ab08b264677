// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A copy of an argument is read where it comes from, if what is written meanwhile is no part of that:
// `llvm.noalias`, `memref.distinct_objects` and `assume-noalias-arguments` say so. Executed, and in
// @main the arguments of @overlaps, which promises nothing, are one memory.

// RUN: stowage-opt %s --elide-copies | FileCheck %s
// RUN: stowage-opt %s --elide-copies --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --elide-copies=assume-noalias-arguments | FileCheck %s --check-prefix=ASSUMED
// RUN: stowage-opt %s --elide-copies=assume-noalias-arguments --remarks-filter=elide-copies -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies,merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(elide-copies{lend-arguments},buffer-deallocation)' | FileCheck %s --check-prefix=SAME

// SAME: equal

// SAID: Function=overlaps | Reason=source-changes{{.*}}memref.copy stays: 'linalg.exp' may write what was moved, as arguments may be one memory"{{.*}}give an argument llvm.noalias, or set assume-noalias-arguments
// SAID: Function=turned | Reason=source-changes{{.*}}linalg.transpose stays: 'linalg.exp' may write what was moved, as arguments may be one memory
// SAID: Function=written_itself | Reason=no-alloc{{.*}}memref.copy stays: not both buffers come from a memref.alloc"
// SAID: Function=by_call | Reason=no-alloc{{.*}}memref.copy stays: not both buffers come from a memref.alloc"
// NONE-NOT: set assume-noalias

// CHECK-LABEL: func.func @promised
// CHECK-NOT: memref.copy
// CHECK: linalg.add ins(%arg0, %arg0
func.func @promised(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// Of what is written, it says the same.
// CHECK-LABEL: func.func @promised_of_target
// CHECK-NOT: memref.copy
// CHECK: linalg.add ins(%arg0, %arg0
func.func @promised_of_target(%x: memref<8xf32>, %y: memref<8xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @distinct
// CHECK: %[[D:.*]]:2 = memref.distinct_objects
// CHECK-NOT: memref.copy
// CHECK: linalg.add ins(%[[D]]#0, %[[D]]#0
func.func @distinct(%x: memref<8xf32>, %y: memref<8xf32>) {
  %dx, %dy = memref.distinct_objects %x, %y : memref<8xf32>, memref<8xf32>
  %a = memref.alloc() : memref<8xf32>
  memref.copy %dx, %a : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%dx : memref<8xf32>) outs(%dy : memref<8xf32>)
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%dy : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @overlaps
// CHECK: memref.copy %arg0
// ASSUMED-LABEL: func.func @overlaps
// ASSUMED-NOT: memref.copy
// ASSUMED: return
func.func @overlaps(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @turned
// CHECK: linalg.transpose
// ASSUMED-LABEL: func.func @turned
// ASSUMED-NOT: linalg.transpose
// ASSUMED: return
func.func @turned(%x: memref<2x4xf32>, %y: memref<4x2xf32>) {
  %t = memref.alloc() : memref<4x2xf32>
  linalg.transpose ins(%x : memref<2x4xf32>) outs(%t : memref<4x2xf32>) permutation = [1, 0]
  linalg.exp ins(%t : memref<4x2xf32>) outs(%y : memref<4x2xf32>)
  linalg.add ins(%t, %y : memref<4x2xf32>, memref<4x2xf32>) outs(%y : memref<4x2xf32>)
  return
}

// No promise says that an argument does not change by its own name, or by a view of it.
// CHECK-LABEL: func.func @written_itself
// CHECK: memref.copy %arg0
// ASSUMED-LABEL: func.func @written_itself
// ASSUMED: memref.copy %arg0
func.func @written_itself(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32> {llvm.noalias}) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  %part = memref.subview %x[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  linalg.exp ins(%part : memref<4xf32, strided<[1], offset: 2>>) outs(%part : memref<4xf32, strided<[1], offset: 2>>)
  linalg.add ins(%a, %x : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

func.func @scale(%y: memref<8xf32>) {
  linalg.exp ins(%y : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
// CHECK-LABEL: func.func @by_call
// CHECK: memref.copy %arg0
// ASSUMED-LABEL: func.func @by_call
// ASSUMED: memref.copy %arg0
func.func @by_call(%x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  call @scale(%x) : (memref<8xf32>) -> ()
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// What a branch chose may be any memory.
// CHECK-LABEL: func.func @chosen
// CHECK: memref.copy %arg1
// ASSUMED-LABEL: func.func @chosen
// ASSUMED: memref.copy %arg1
func.func @chosen(%c: i1, %x: memref<8xf32> {llvm.noalias}, %y: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  memref.copy %x, %a : memref<8xf32> to memref<8xf32>
  %z = arith.select %c, %x, %y : memref<8xf32>
  linalg.exp ins(%z : memref<8xf32>) outs(%z : memref<8xf32>)
  linalg.add ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

func.func private @printF32(f32)
func.func private @printNewline()
func.func @print(%m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %m[%i] : memref<8xf32>
    func.call @printF32(%v) : (f32) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func @fill(%m: memref<8xf32>, %by: f32) {
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%by : f32) outs(%m : memref<8xf32>) {
  ^bb0(%f: f32, %out: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %x = arith.sitofp %n : i32 to f32
    %y = arith.mulf %x, %f : f32
    linalg.yield %y : f32
  }
  return
}
func.func @main() {
  %true = arith.constant true
  %eighth = arith.constant 0.125 : f32
  %third = arith.constant 0.3 : f32
  %x = memref.alloc() : memref<8xf32>
  %y = memref.alloc() : memref<8xf32>
  call @fill(%x, %eighth) : (memref<8xf32>, f32) -> ()
  call @fill(%y, %third) : (memref<8xf32>, f32) -> ()
  call @promised(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @promised_of_target(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @distinct(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  %x2 = memref.expand_shape %x [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  %x4 = memref.expand_shape %x [[0, 1]] output_shape [4, 2] : memref<8xf32> into memref<4x2xf32>
  call @turned(%x2, %x4) : (memref<2x4xf32>, memref<4x2xf32>) -> ()
  call @print(%x) : (memref<8xf32>) -> ()
  call @overlaps(%x, %x) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%x) : (memref<8xf32>) -> ()
  call @fill(%x, %eighth) : (memref<8xf32>, f32) -> ()
  call @written_itself(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @fill(%x, %third) : (memref<8xf32>, f32) -> ()
  call @by_call(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  call @chosen(%true, %x, %y) : (i1, memref<8xf32>, memref<8xf32>) -> ()
  call @print(%y) : (memref<8xf32>) -> ()
  return
}
