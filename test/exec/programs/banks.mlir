// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Buffers of a memory with banks move so that those of one op are in different banks.

// CHECK: {{^}}9{{$}}
// CHECK-NEXT: {{^}}18{{$}}
// REMARK: pairs in different banks: 5 of 5

module attributes {stowage.memories = [{name = "sram", bytes = 512, banks = 2}]} {
func.func @main() {
  %c1 = arith.constant 1 : index
  %x = arith.constant 4 : i64
  %y = arith.constant 5 : i64
  %a = memref.alloc() : memref<16xi64>
  %b = memref.alloc() : memref<16xi64>
  %c = memref.alloc() : memref<16xi64>
  %d = memref.alloc() : memref<16xi64>
  %e = memref.alloc() : memref<16xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<16xi64>)
  memref.copy %a, %b : memref<16xi64> to memref<16xi64>
  linalg.fill ins(%y : i64) outs(%c : memref<16xi64>)
  memref.copy %c, %d : memref<16xi64> to memref<16xi64>
  linalg.add ins(%a, %c : memref<16xi64>, memref<16xi64>) outs(%c : memref<16xi64>)
  %p = memref.load %c[%c1] : memref<16xi64>
  linalg.add ins(%b, %d : memref<16xi64>, memref<16xi64>) outs(%d : memref<16xi64>)
  linalg.fill ins(%y : i64) outs(%e : memref<16xi64>)
  linalg.add ins(%b, %e : memref<16xi64>, memref<16xi64>) outs(%b : memref<16xi64>)
  linalg.add ins(%b, %d : memref<16xi64>, memref<16xi64>) outs(%d : memref<16xi64>)
  %q = memref.load %d[%c1] : memref<16xi64>
  memref.dealloc %a : memref<16xi64>
  memref.dealloc %b : memref<16xi64>
  memref.dealloc %c : memref<16xi64>
  memref.dealloc %d : memref<16xi64>
  memref.dealloc %e : memref<16xi64>
  call @show(%p) : (i64) -> ()
  call @show(%q) : (i64) -> ()
  return
}

// Prints a number on a line of its own.
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%v: i64) {
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
}
