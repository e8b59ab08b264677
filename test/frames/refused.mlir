// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=arena=global --check-arena-plan=dynamic-offsets=ignore | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=arena=global --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: stowage-opt %s --merge-alloc=arena=global --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=PROMISE
// RUN: stowage-opt %s --merge-alloc="arena=argument entries=parallel keep-wrapper" --remarks-filter=merge-alloc -o %t 2>&1 | FileCheck %s --check-prefix=WRAPPER
// RUN: not stowage-opt %s --merge-alloc=arena=heap 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not stowage-opt %s --merge-alloc=public 2>&1 | FileCheck %s --check-prefix=NEEDS
// RUN: not stowage-opt %s --merge-alloc="arena=global keep-wrapper" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not stowage-opt %s --merge-alloc="arena=argument entries=recursive,nobody" 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not stowage-opt %s --merge-alloc="arena=global analysis-only" 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: not stowage-opt %s --merge-alloc="arena=global report=json:%t.no/such" 2>&1 | FileCheck %s --check-prefix=UNWRITABLE

// PLACE: error: merge-alloc: arena must be alloc, stack, argument, global or callback, not 'heap'
// NEEDS: error: merge-alloc: entries, public and emit-header need an arena other than alloc
// KEEP: error: merge-alloc: keep-wrapper needs arena=argument
// NOBODY: error: merge-alloc: entries names 'nobody', which is no public func.func with a body of this module
// ANALYSIS: error: merge-alloc: analysis-only needs arena=alloc
// UNWRITABLE: error: merge-alloc: cannot write the report

// What calls itself needs an arena for each activation.
// REMARK: refused.mlir:[[@LINE+5]]:{{.*}} no-frame {{.*}}it may call itself{{.*}}its arena of 256 bytes is allocated by each call of it
// CHECK-LABEL: func @recursive
// CHECK-NOT:   memref.get_global
// CHECK:       memref.alloc()
// CHECK:       memref.dealloc
func.func @recursive(%x: memref<64xf32>, %y: memref<64xf32>, %go: i1) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.if %go {
    %no = arith.constant false
    func.call @recursive(%a, %y, %no) : (memref<64xf32>, memref<64xf32>, i1) -> ()
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// REMARK: refused.mlir:[[@LINE+3]]:{{.*}} no-frame {{.*}}its address is taken
// CHECK-LABEL: func private @pointed
// CHECK:       memref.alloc()
func.func private @pointed(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func @by_pointer
// CHECK:       call_indirect
func.func @by_pointer(%x: memref<64xf32>, %y: memref<64xf32>) {
  %f = constant @pointed : (memref<64xf32>, memref<64xf32>) -> ()
  call_indirect %f(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// A frame that lies in the arena of such a function is allocated with it, and the remark is that function's.
// REMARK-NOT: no-partner
// REMARK: refused.mlir:[[@LINE+3]]:{{.*}} no-frame {{.*}}it may call itself{{.*}}its arena of 256 bytes is allocated by each call of it
// REMARK-NOT: no-partner
// CHECK-LABEL: func @recursive_caller
func.func @recursive_caller(%x: memref<64xf32>, %y: memref<64xf32>, %go: i1) {
  func.call @body(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  scf.if %go {
    %no = arith.constant false
    func.call @recursive_caller(%x, %y, %no) : (memref<64xf32>, memref<64xf32>, i1) -> ()
  }
  return
}

// Iterations that may run at once have slices of the caller's frame.
// CHECK-LABEL: func private @body
// CHECK-SAME:    memref<256xi8>)
func.func private @body(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// WRAPPER: no-frame {{.*}}Function=parallel |{{.*}}keep-wrapper keeps its signature{{.*}}its arena of 2048 bytes is allocated by each call of it
// CHECK: memref.global "private" @parallel_arena : memref<2048xi8>
// CHECK-LABEL: func @parallel
// CHECK-NOT:   memref.alloc
// CHECK:       scf.forall
// CHECK:         call @body(%{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}, memref<256xi8>) -> ()
func.func @parallel(%x: memref<64xf32>, %y: memref<4x64xf32>) {
  scf.forall (%i) in (4) {
    %row = memref.subview %y[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<64xf32>
    func.call @body(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
    memref.copy %a, %row : memref<64xf32> to memref<64xf32, strided<[1], offset: ?>>
  }
  return
}

// A frame is memory that such a function said it leaves alone.
// PROMISE-DAG: refused.mlir:[[@LINE+4]]:{{.*}} no-frame {{.*}}it promises what memory it touches
// CHECK-LABEL: func private @promises(%{{.*}}: f32) -> f32
// CHECK:       memref.alloc()
// CHECK:       memref.dealloc
func.func private @promises(%v: f32) -> f32 attributes {llvm.readnone} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %r = memref.load %a[%c0] : memref<4xf32>
  return %r : f32
}

// PROMISE-DAG: refused.mlir:[[@LINE+2]]:{{.*}} no-frame {{.*}}something else than a plain func.call mentions it
// CHECK-LABEL: func private @promised(%{{.*}}: f32) -> f32
func.func private @promised(%v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %v, %a[%c0] : memref<4xf32>
  %r = memref.load %a[%c0] : memref<4xf32>
  return %r : f32
}

func.func @calls_promised(%v: f32) -> f32 {
  %a = call @promises(%v) : (f32) -> f32
  %b = call @promised(%a) {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>} : (f32) -> f32
  return %b : f32
}
