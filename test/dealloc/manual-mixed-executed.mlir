// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-deallocation -o %t.mlir
// RUN: stowage-opt %t.mlir --buffer-deallocation | diff %t.mlir -
// RUN: %python %root/exec/harness.py run %t.mlir 2>&1 | FileCheck %s --check-prefix=HEAP
// RUN: stowage-opt %s --buffer-deallocation=tighten -o %t.tight.mlir
// RUN: %python %root/exec/harness.py run %t.tight.mlir 2>&1 | FileCheck %s --check-prefix=HEAP
// RUN: stowage-opt %s --hoist-allocations -o %t.hoisted.mlir
// RUN: %python %root/exec/harness.py run %t.hoisted.mlir 2>&1 | FileCheck %s --check-prefix=HEAP

// What `bufferization.manual_deallocation` marks is memory from elsewhere where it meets buffers that the
// pass frees: no marked buffer is freed but by the program, and no other leaks.

// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func @either(%c: i1, %x: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  %r = scf.if %c -> memref<4xi64> {
    %a = memref.alloc() : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
    scf.yield %a : memref<4xi64>
  } else {
    scf.yield %m : memref<4xi64>
  }
  call @show(%r) : (memref<4xi64>) -> ()
  memref.dealloc %m {bufferization.manual_deallocation} : memref<4xi64>
  return
}

func.func @phi(%c: i1, %x: memref<4xi64>) {
  %r = scf.if %c -> memref<4xi64> {
    %a = memref.alloc() : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
    scf.yield %a : memref<4xi64>
  } else {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
    scf.yield %m : memref<4xi64>
  }
  call @show(%r) : (memref<4xi64>) -> ()
  memref.dealloc %r : memref<4xi64>
  return
}

func.func @phi_marked(%c: i1, %x: memref<4xi64>) {
  %r = scf.if %c -> memref<4xi64> {
    %a = memref.alloc() : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
    scf.yield %a : memref<4xi64>
  } else {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
    scf.yield %m : memref<4xi64>
  }
  call @show(%r) : (memref<4xi64>) -> ()
  memref.dealloc %r {bufferization.manual_deallocation} : memref<4xi64>
  return
}

func.func @unmarked(%c: i1, %x: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  call @show(%m) : (memref<4xi64>) -> ()
  memref.dealloc %m : memref<4xi64>
  return
}

func.func private @freeit(%m: memref<4xi64>) {
  memref.dealloc %m : memref<4xi64>
  return
}

func.func @freed_by_callee(%c: i1, %x: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  call @show(%m) : (memref<4xi64>) -> ()
  call @freeit(%m) : (memref<4xi64>) -> ()
  return
}

func.func private @grow(%m: memref<4xi64>) -> memref<4xi64> {
  %n = memref.alloc() : memref<4xi64>
  memref.copy %m, %n : memref<4xi64> to memref<4xi64>
  memref.dealloc %m : memref<4xi64>
  return %n : memref<4xi64>
}

func.func @grown(%c: i1, %x: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
    linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  %r = call @grow(%m) : (memref<4xi64>) -> memref<4xi64>
  call @show(%r) : (memref<4xi64>) -> ()
  return
}

func.func private @show(%m: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xi64>
  vector.print %v : i64
  return
}

func.func @main() {
  %false = arith.constant false
  %true = arith.constant true
  %seven = arith.constant 7 : i64
  %x = memref.alloc() : memref<4xi64>
  linalg.fill ins(%seven : i64) outs(%x : memref<4xi64>)
  call @either(%true, %x) : (i1, memref<4xi64>) -> ()
  call @either(%false, %x) : (i1, memref<4xi64>) -> ()
  call @phi(%true, %x) : (i1, memref<4xi64>) -> ()
  call @phi(%false, %x) : (i1, memref<4xi64>) -> ()
  call @phi_marked(%true, %x) : (i1, memref<4xi64>) -> ()
  call @phi_marked(%false, %x) : (i1, memref<4xi64>) -> ()
  call @unmarked(%true, %x) : (i1, memref<4xi64>) -> ()
  call @unmarked(%false, %x) : (i1, memref<4xi64>) -> ()
  call @freed_by_callee(%true, %x) : (i1, memref<4xi64>) -> ()
  call @freed_by_callee(%false, %x) : (i1, memref<4xi64>) -> ()
  call @grown(%true, %x) : (i1, memref<4xi64>) -> ()
  call @grown(%false, %x) : (i1, memref<4xi64>) -> ()
  memref.dealloc %x : memref<4xi64>
  return
}
