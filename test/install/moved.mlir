// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// hoist-allocations with remarks, on a module whose one allocation is of examples/dialect: it moves, and
// nobody says that there was none.

// CHECK-NOT: nothing-done
// CHECK:     "downstream.alloc"
// CHECK:     scf.for
func.func @looped(%x: f32, %n: index, %q: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = "downstream.alloc"() : () -> memref<8xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
    memref.copy %a, %q : memref<8xf32> to memref<8xf32>
    memref.dealloc %a : memref<8xf32>
  }
  return
}
