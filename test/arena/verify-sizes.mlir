// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="dynamic=exact verify-sizes" -o %t.exact.mlir
// RUN: %python "%root/exec/harness.py" run %t.exact.mlir --entry sane | FileCheck %s --check-prefix=SANE
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.exact.mlir --entry negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.exact.mlir --entry unequal 2>&1 | FileCheck %s --check-prefix=UNEQUAL
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.exact.mlir --entry below 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.exact.mlir --entry above 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: stowage-opt %s --merge-alloc="dynamic=bound verify-sizes" -o %t.bound.mlir
// RUN: %python "%root/exec/harness.py" run %t.bound.mlir --entry sane | FileCheck %s --check-prefix=SANE
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.bound.mlir --entry beyond 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: stowage-opt %s --buffer-reuse="dynamic=exact verify-sizes require-dealloc=false" -o %t.reuse.mlir
// RUN: not stdbuf -o0 %python "%root/exec/harness.py" run %t.reuse.mlir --entry negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: stowage-opt %s --merge-alloc="dynamic=exact" | FileCheck %s --check-prefix=OFF

// Assertions of what plans for unknown sizes rely on: each is tripped by a call that breaks it, and none where nothing is broken.

// OFF-NOT: cf.assert

// SANE: {{^}}2{{$}}
// SANE-NEXT: {{^}}2{{$}}
// NEGATIVE: verify-sizes.mlir:[[#@LINE+13]]:8: dimension 0 is below 0
// UNEQUAL: verify-sizes.mlir:[[#@LINE+14]]:8: the buffer is larger than its slice of 4*n bytes
// BOUND: verify-sizes.mlir:[[#@LINE+9]]:8: the buffer is larger than its slice of 512 bytes
// BELOW: dimension 0 of argument 0 is below the stated 2
// ABOVE: dimension 0 of argument 0 is above the stated 64
func.func private @run(%x: memref<?xf32> {stowage.dims = [{name = "n", min = 2, max = 64}]},
                       %y: memref<?xf32> {stowage.dims = [{name = "n"}]}, %k: index) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%m) : memref<?x2xf32>
  linalg.fill ins(%two : f32) outs(%a : memref<?x2xf32>)
  %b = memref.alloc(%k) : memref<?xf32>
  linalg.fill ins(%two : f32) outs(%b : memref<?xf32>)
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%two : f32) outs(%c : memref<?xf32>)
  %first = memref.load %a[%c0, %c0] : memref<?x2xf32>
  %number = arith.fptosi %first : f32 to i64
  call @printI64(%number) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func private @printI64(i64)
func.func private @printNewline()

func.func private @with(%n: index, %m: index, %k: index) {
  %x = memref.alloca(%n) : memref<?xf32>
  %y = memref.alloca(%m) : memref<?xf32>
  call @run(%x, %y, %k) : (memref<?xf32>, memref<?xf32>, index) -> ()
  return
}
func.func @sane() {
  %none = arith.constant 0 : index
  %least = arith.constant 2 : index
  %most = arith.constant 64 : index
  call @with(%least, %least, %none) : (index, index, index) -> ()
  call @with(%most, %most, %most) : (index, index, index) -> ()
  return
}
func.func @negative() {
  %least = arith.constant 2 : index
  %negative = arith.constant -1 : index
  call @with(%least, %least, %negative) : (index, index, index) -> ()
  return
}
func.func @unequal() {
  %least = arith.constant 2 : index
  %most = arith.constant 64 : index
  call @with(%most, %least, %least) : (index, index, index) -> ()
  return
}
func.func @beyond() {
  %least = arith.constant 2 : index
  %more = arith.constant 100 : index
  call @with(%least, %more, %least) : (index, index, index) -> ()
  return
}
func.func @below() {
  %one = arith.constant 1 : index
  call @with(%one, %one, %one) : (index, index, index) -> ()
  return
}
func.func @above() {
  %more = arith.constant 65 : index
  call @with(%more, %more, %more) : (index, index, index) -> ()
  return
}
