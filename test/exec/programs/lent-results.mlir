// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s --saves | FileCheck %s

// Results that are made early, because buffers lie in their bytes until they are written: of both arms of a branch, of a
// function that is called in a loop, two of one function.

// CHECK: {{^}}12{{$}}
// CHECK-NEXT: {{^}}12{{$}}
// CHECK-NEXT: {{^}}21{{$}}
// CHECK-NEXT: {{^}}21{{$}}
// CHECK-NEXT: {{^}}25{{$}}
// CHECK-NEXT: {{^}}25{{$}}
// CHECK-NEXT: {{^}}29{{$}}
// CHECK-NEXT: {{^}}29{{$}}

func.func @twice(%x: memref<8xi64>, %bit: i1) -> (memref<16xi64>, memref<8xi64>) {
  %c3 = arith.constant 3 : index
  %nine = arith.constant 9 : i64
  %a = memref.alloc() : memref<8xi64>
  linalg.add ins(%x, %x : memref<8xi64>, memref<8xi64>) outs(%a : memref<8xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.add ins(%a, %x : memref<8xi64>, memref<8xi64>) outs(%b : memref<8xi64>)
  memref.dealloc %a : memref<8xi64>
  %c = memref.alloc() : memref<8xi64>
  linalg.add ins(%b, %x : memref<8xi64>, memref<8xi64>) outs(%c : memref<8xi64>)
  memref.dealloc %b : memref<8xi64>
  %s = memref.alloc() : memref<8xi64>
  %r = scf.if %bit -> memref<16xi64> {
    %d = memref.alloc() : memref<8xi64>
    linalg.add ins(%c, %c : memref<8xi64>, memref<8xi64>) outs(%d : memref<8xi64>)
    %e = memref.alloc() : memref<8xi64>
    linalg.sub ins(%d, %c : memref<8xi64>, memref<8xi64>) outs(%e : memref<8xi64>)
    memref.dealloc %d : memref<8xi64>
    %n = memref.load %e[%c3] : memref<8xi64>
    memref.dealloc %e : memref<8xi64>
    %r1 = memref.alloc() : memref<16xi64>
    linalg.fill ins(%n : i64) outs(%r1 : memref<16xi64>)
    scf.yield %r1 : memref<16xi64>
  } else {
    %d = memref.alloc() : memref<8xi64>
    linalg.add ins(%c, %x : memref<8xi64>, memref<8xi64>) outs(%d : memref<8xi64>)
    %n = memref.load %d[%c3] : memref<8xi64>
    memref.dealloc %d : memref<8xi64>
    %r2 = memref.alloc() : memref<16xi64>
    linalg.fill ins(%n : i64) outs(%r2 : memref<16xi64>)
    scf.yield %r2 : memref<16xi64>
  }
  linalg.fill ins(%nine : i64) outs(%s : memref<8xi64>)
  linalg.add ins(%c, %s : memref<8xi64>, memref<8xi64>) outs(%s : memref<8xi64>)
  memref.dealloc %c : memref<8xi64>
  return %r, %s : memref<16xi64>, memref<8xi64>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  %c7 = arith.constant 7 : index
  %x = memref.alloc() : memref<8xi64>
  scf.for %i = %c0 to %c2 step %c1 {
    %n = arith.index_cast %i : index to i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %m = arith.muli %n, %two : i64
    %v = arith.addi %m, %three : i64
    %first = arith.cmpi eq, %i, %c0 : index
    linalg.fill ins(%v : i64) outs(%x : memref<8xi64>)
    %r:2 = func.call @twice(%x, %first) : (memref<8xi64>, i1) -> (memref<16xi64>, memref<8xi64>)
    %a = memref.load %r#0[%c0] : memref<16xi64>
    %b = memref.load %r#0[%c15] : memref<16xi64>
    %c = memref.load %r#1[%c0] : memref<8xi64>
    %d = memref.load %r#1[%c7] : memref<8xi64>
    memref.dealloc %r#0 : memref<16xi64>
    memref.dealloc %r#1 : memref<8xi64>
    func.call @show(%a) : (i64) -> ()
    func.call @show(%b) : (i64) -> ()
    func.call @show(%c) : (i64) -> ()
    func.call @show(%d) : (i64) -> ()
  }
  memref.dealloc %x : memref<8xi64>
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
