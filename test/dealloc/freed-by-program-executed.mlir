// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py run %s > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --buffer-deallocation -o %t.placed.mlir
// RUN: %python %root/exec/harness.py run %t.placed.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %t.placed.mlir --buffer-deallocation | diff %t.placed.mlir -
// RUN: stowage-opt %s --buffer-deallocation=tighten -o %t.tight.mlir
// RUN: %python %root/exec/harness.py run %t.tight.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --hoist-allocations -o %t.hoisted.mlir
// RUN: %python %root/exec/harness.py run %t.hoisted.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --promote-allocs-to-stack -o %t.stack.mlir
// RUN: %python %root/exec/harness.py run %t.stack.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --merge-alloc -o %t.merged.mlir
// RUN: %python %root/exec/harness.py run %t.merged.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --stowage-memory -o %t.memory.mlir
// RUN: %python %root/exec/harness.py run %t.memory.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t
// RUN: stowage-opt %s --lower-clones=simplify-only --lower-clones -o %t.clones.mlir
// RUN: %python %root/exec/harness.py run %t.clones.mlir > %t 2>&1 && FileCheck %s < %t && FileCheck %s --check-prefix=HEAP < %t

// Buffers that the program frees in ways of its own: by deallocs that
// `bufferization.manual_deallocation` marks, and by `bufferization.dealloc`. Nothing frees them again.

// CHECK: {{^}}7{{$}}
func.func @by_hand(%x: memref<4xi64>, %out: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  linalg.copy ins(%m : memref<4xi64>) outs(%out : memref<4xi64>)
  memref.dealloc %m {bufferization.manual_deallocation} : memref<4xi64>
  call @show(%out) : (memref<4xi64>) -> ()
  return
}

// CHECK-NEXT: {{^}}7{{$}}
func.func private @take(%m: memref<4xi64>) {
  call @show(%m) : (memref<4xi64>) -> ()
  memref.dealloc %m {bufferization.manual_deallocation} : memref<4xi64>
  return
}
func.func @taken(%x: memref<4xi64>) {
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  call @take(%m) : (memref<4xi64>) -> ()
  return
}

// CHECK-NEXT: {{^}}7{{$}}
func.func private @make(%x: memref<4xi64>) -> memref<4xi64> {
  %m = bufferization.clone %x {bufferization.manual_deallocation} : memref<4xi64> to memref<4xi64>
  return %m : memref<4xi64>
}
func.func @made(%x: memref<4xi64>) {
  %m = call @make(%x) : (memref<4xi64>) -> memref<4xi64>
  call @show(%m) : (memref<4xi64>) -> ()
  memref.dealloc %m {bufferization.manual_deallocation} : memref<4xi64>
  return
}

// The phi is the marked buffer each time, and the program frees it by the phi's name.
// CHECK-NEXT: {{^}}7{{$}}
func.func @carried(%n: index, %x: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%m : memref<4xi64>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m) -> memref<4xi64> {
    %next = memref.alloc() {bufferization.manual_deallocation} : memref<4xi64>
    linalg.copy ins(%a : memref<4xi64>) outs(%next : memref<4xi64>)
    memref.dealloc %a {bufferization.manual_deallocation} : memref<4xi64>
    scf.yield %next : memref<4xi64>
  }
  call @show(%r) : (memref<4xi64>) -> ()
  memref.dealloc %r {bufferization.manual_deallocation} : memref<4xi64>
  return
}

// CHECK-NEXT: {{^}}7{{$}}
func.func @by_bit(%c: i1, %x: memref<4xi64>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
  %r = arith.select %c, %x, %a : memref<4xi64>
  call @show(%r) : (memref<4xi64>) -> ()
  bufferization.dealloc (%a : memref<4xi64>) if (%true)
  return
}

// What is retained lives on, with the bit that the dealloc gives.
// CHECK-NEXT: {{^}}7{{$}}
// CHECK-NEXT: {{^}}7{{$}}
func.func @retained(%c: i1, %x: memref<4xi64>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%b : memref<4xi64>)
  %r = arith.select %c, %b, %a : memref<4xi64>
  %owned = bufferization.dealloc (%a, %b : memref<4xi64>, memref<4xi64>) if (%true, %true) retain (%r : memref<4xi64>)
  call @show(%r) : (memref<4xi64>) -> ()
  bufferization.dealloc (%r : memref<4xi64>) if (%owned)
  return
}

// CHECK-NEXT: {{^}}7{{$}}
func.func private @freed_here(%m: memref<4xi64>, %bit: i1) {
  call @show(%m) : (memref<4xi64>) -> ()
  bufferization.dealloc (%m : memref<4xi64>) if (%bit)
  return
}
func.func @freed_in_callee(%x: memref<4xi64>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
  call @freed_here(%a, %true) : (memref<4xi64>, i1) -> ()
  return
}

// CHECK-NEXT: {{^}}7{{$|a}}
func.func @in_region(%x: memref<4xi64>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi64>
  linalg.copy ins(%x : memref<4xi64>) outs(%a : memref<4xi64>)
  call @show(%a) : (memref<4xi64>) -> ()
  scf.execute_region {
    bufferization.dealloc (%a : memref<4xi64>) if (%true)
    scf.yield
  }
  return
}

func.func private @show(%m: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xi64>
  vector.print %v : i64
  return
}

func.func @main() {
  %n = arith.constant 3 : index
  %false = arith.constant false
  %true = arith.constant true
  %seven = arith.constant 7 : i64
  %x = memref.alloc() : memref<4xi64>
  %y = memref.alloc() : memref<4xi64>
  linalg.fill ins(%seven : i64) outs(%x : memref<4xi64>)
  call @by_hand(%x, %y) : (memref<4xi64>, memref<4xi64>) -> ()
  call @taken(%x) : (memref<4xi64>) -> ()
  call @made(%x) : (memref<4xi64>) -> ()
  call @carried(%n, %x) : (index, memref<4xi64>) -> ()
  call @by_bit(%false, %x) : (i1, memref<4xi64>) -> ()
  call @retained(%true, %x) : (i1, memref<4xi64>) -> ()
  call @retained(%false, %x) : (i1, memref<4xi64>) -> ()
  call @freed_in_callee(%x) : (memref<4xi64>) -> ()
  call @in_region(%x) : (memref<4xi64>) -> ()
  memref.dealloc %x : memref<4xi64>
  memref.dealloc %y : memref<4xi64>
  return
}

// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0
