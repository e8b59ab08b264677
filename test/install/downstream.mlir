// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The dialect of examples/dialect: ops of unknown effects that tell where their buffers go.

// The view's use is its source's: %a and %b live together, %c after both.
// CHECK-LABEL: func @view
// CHECK:         stowage.offset = 0
// CHECK:         stowage.offset = 64
// CHECK:         stowage.offset = 0
func.func @view(%x: f32, %q: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %v = "downstream.window"(%a) : (memref<8xf32>) -> memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  linalg.add ins(%v, %b : memref<8xf32>, memref<8xf32>) outs(%q : memref<8xf32>)
  %c = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%c : memref<8xf32>)
  memref.copy %c, %q : memref<8xf32> to memref<8xf32>
  return
}

// The result may be either operand.
// CHECK-LABEL: func @either
// CHECK:         stowage.life
// CHECK:         stowage.life
// CHECK-NOT:     left_alone
func.func @either(%x: f32, %q: memref<8xf32>) {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<8xf32>)
  %v = "downstream.either"(%a, %b) : (memref<8xf32>, memref<8xf32>) -> memref<8xf32>
  memref.copy %v, %q : memref<8xf32> to memref<8xf32>
  return
}

// This one tells nothing.
// CHECK-LABEL: func @unknown
// CHECK:         left_alone = "unknown-op"
func.func @unknown(%x: f32) {
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  "downstream.opaque"(%a) : (memref<8xf32>) -> ()
  return
}
