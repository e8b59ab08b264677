// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=report=text -o /dev/null 2>&1 | FileCheck %s
// RUN: %python %root/exec/harness.py run %s 2>&1 | FileCheck %s --check-prefix=HEAP

// What a return gives back is no longer there where another block goes on: the heap's peak is that of one path. Where a
// branch hands a buffer on, the figure is no more than an estimate.

// CHECK:      heap at the peak of each function
// CHECK-NEXT: function before after
// CHECK-NEXT: either 16 B 16 B saves 0.00 %
// CHECK-NEXT: early 16 B 16 B saves 0.00 %
// CHECK-NEXT: given 16 B 16 B saves 0.00 %
// CHECK-NEXT: yielded 32 B 32 B about; saves 0.00 %
// CHECK-NEXT: dropped 32 B 32 B about; saves 0.00 %
// CHECK-NEXT: main 32 B 32 B about;
// HEAP: peak_bytes=16

func.func private @either(%v: i32, %c: i1) -> memref<4xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%a : memref<4xi32>)
  return %a : memref<4xi32>
^b:
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32>)
  return %b : memref<4xi32>
}

func.func private @early(%v: i32, %c: i1) -> memref<4xi32> {
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%a : memref<4xi32>)
  cf.cond_br %c, ^a, ^b
^a:
  return %a : memref<4xi32>
^b:
  memref.dealloc %a : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32>)
  return %b : memref<4xi32>
}

func.func private @given(%v: i32, %c: i1) -> memref<4xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %a = call @either(%v, %c) : (i32, i1) -> memref<4xi32>
  return %a : memref<4xi32>
^b:
  %b = call @either(%v, %c) : (i32, i1) -> memref<4xi32>
  return %b : memref<4xi32>
}

func.func private @yielded(%v: i32, %c: i1) -> memref<4xi32> {
  %r = scf.if %c -> memref<4xi32> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%v : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  } else {
    %b = memref.alloc() : memref<4xi32>
    linalg.fill ins(%v : i32) outs(%b : memref<4xi32>)
    scf.yield %b : memref<4xi32>
  }
  return %r : memref<4xi32>
}

// Behind the block that frees, the buffer is counted up to its last return.
func.func private @dropped(%v: i32, %c: i1) -> memref<4xi32> {
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%a : memref<4xi32>)
  cf.cond_br %c, ^keep, ^drop
^drop:
  memref.dealloc %a : memref<4xi32>
  cf.br ^on
^on:
  %b = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%b : memref<4xi32>)
  return %b : memref<4xi32>
^keep:
  return %a : memref<4xi32>
}

func.func @main() attributes {llvm.emit_c_interface} {
  %true = arith.constant true
  %false = arith.constant false
  %v = arith.constant 7 : i32
  %a = call @early(%v, %true) : (i32, i1) -> memref<4xi32>
  memref.dealloc %a : memref<4xi32>
  %b = call @early(%v, %false) : (i32, i1) -> memref<4xi32>
  memref.dealloc %b : memref<4xi32>
  %c = call @given(%v, %true) : (i32, i1) -> memref<4xi32>
  memref.dealloc %c : memref<4xi32>
  %d = call @given(%v, %false) : (i32, i1) -> memref<4xi32>
  memref.dealloc %d : memref<4xi32>
  %e = call @yielded(%v, %true) : (i32, i1) -> memref<4xi32>
  memref.dealloc %e : memref<4xi32>
  %f = call @dropped(%v, %true) : (i32, i1) -> memref<4xi32>
  memref.dealloc %f : memref<4xi32>
  %g = call @dropped(%v, %false) : (i32, i1) -> memref<4xi32>
  memref.dealloc %g : memref<4xi32>
  return
}
