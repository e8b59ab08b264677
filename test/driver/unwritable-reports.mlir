// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not stowage-opt %s --buffer-reuse=report=html:/no/such/folder/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s
// RUN: not stowage-opt %s --buffer-reuse=report=json:/no/such/folder/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s
// RUN: not stowage-opt %s --merge-alloc="report=text:%t.txt,html:/no/such/folder/x hoist-parallel" --mlir-print-ir-after-failure 2>&1 | FileCheck %s
// RUN: not stowage-opt %s --convert-affine-to-taskflow --memory-access-streaming-fusion=report=svg:/no/such/folder/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=TASKS
// RUN: not stowage-opt %s --stream-rows=report=html:/no/such/folder/x --mlir-print-ir-after-failure 2>&1 | FileCheck %s

// A report that cannot be written is told, and the module is as it was.

// CHECK: error: {{.*}}: cannot write the report to '/no/such/folder/x': No such file
// CHECK: func.func @two
// CHECK-COUNT-4: memref.alloc()
// CHECK-NOT: memref.view
// TASKS: error: {{.*}}: cannot write the report to '/no/such/folder/x': No such file
// TASKS: func.func @two
// TASKS: memref<64xf32>
// TASKS-COUNT-4: taskflow.task @
// TASKS-NOT: taskflow.task @
func.func @two(%x: f32, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.store %x, %a[%i] : memref<64xf32>
  }
  %b = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    affine.store %v, %b[%i] : memref<64xf32>
  }
  memref.dealloc %a : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %v = affine.load %b[%i] : memref<64xf32>
    affine.store %v, %c[%i] : memref<64xf32>
  }
  memref.dealloc %b : memref<64xf32>
  affine.for %i = 0 to 64 {
    %v = affine.load %c[%i] : memref<64xf32>
    affine.store %v, %out[%i] : memref<64xf32>
  }
  memref.dealloc %c : memref<64xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %d = memref.alloc() : memref<64xf32>
    memref.store %x, %d[%i] : memref<64xf32>
    memref.dealloc %d : memref<64xf32>
  }
  return
}
