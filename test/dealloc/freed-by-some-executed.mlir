// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %python %root/exec/harness.py check %s --pipeline 'builtin.module(buffer-deallocation)'
// RUN: stowage-opt %s --buffer-deallocation --remarks-filter='.*' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap
// RUN: stowage-opt %t.mlir --buffer-deallocation | diff %t.mlir -
// RUN: stowage-opt %s --hoist-allocations --buffer-deallocation --buffer-deallocation=tighten -o %t.mlir
// RUN: %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1
// RUN: FileCheck %s --check-prefix=HEAP < %t.heap

// One address may be that of a function which frees what it is given, and of one which does not. By its name, each is known for what it
// does itself; by the address it is not known which of the two is called, so that nothing is freed and a remark says so. Here the one
// that frees is called wherever that is left.
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @frees(%m: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xi64>
  memref.dealloc %m : memref<4xi64>
  return %v : i64
}
func.func private @reads(%m: memref<4xi64>) -> i64 {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xi64>
  return %v : i64
}
func.func private @frees_too(%m: memref<4xi64>) -> i64 {
  %v = func.call @frees(%m) : (memref<4xi64>) -> i64
  return %v : i64
}

func.func private @either(%c: i1, %a: memref<4xi64>) -> i64 {
  %f = func.constant @frees : (memref<4xi64>) -> i64
  %g = func.constant @reads : (memref<4xi64>) -> i64
  %h = arith.select %c, %f, %g : (memref<4xi64>) -> i64
  %v = func.call_indirect %h(%a) : (memref<4xi64>) -> i64
  return %v : i64
}

func.func private @by_name() -> i64 {
  %five = arith.constant 5 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%five : i64) outs(%a : memref<4xi64>)
  %b = memref.alloc() : memref<4xi64>
  linalg.fill ins(%five : i64) outs(%b : memref<4xi64>)
  %v = func.call @reads(%a) : (memref<4xi64>) -> i64
  %w = func.call @frees(%b) : (memref<4xi64>) -> i64
  %x = arith.addi %v, %w : i64
  return %x : i64
}

// All that it may call free.
func.func private @by_address(%c: i1) -> i64 {
  %six = arith.constant 6 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%six : i64) outs(%a : memref<4xi64>)
  %f = func.constant @frees : (memref<4xi64>) -> i64
  %g = func.constant @frees_too : (memref<4xi64>) -> i64
  %h = arith.select %c, %f, %g : (memref<4xi64>) -> i64
  %v = func.call_indirect %h(%a) : (memref<4xi64>) -> i64
  return %v : i64
}

// REMARK-DAG: :[[#@LINE+3]]:8: remark: [Missed] left-alone {{.*}}Function=by_either {{.*}}some of the functions that this may call free it, and others do not; free it in each of them, or in none", Remark="no dealloc is placed for this buffer, because of 'func.call_indirect'"
func.func private @by_either(%c: i1) -> i64 {
  %seven = arith.constant 7 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%seven : i64) outs(%a : memref<4xi64>)
  %f = func.constant @frees : (memref<4xi64>) -> i64
  %g = func.constant @reads : (memref<4xi64>) -> i64
  %h = arith.select %c, %f, %g : (memref<4xi64>) -> i64
  %v = func.call_indirect %h(%a) : (memref<4xi64>) -> i64
  return %v : i64
}

// REMARK-DAG: remark: [Missed] left-alone {{.*}}Function=main {{.*}}the function called keeps it, or frees it in some cases only", Remark="no dealloc is placed for this buffer, because of 'func.call'"
func.func @main() {
  %true = arith.constant true
  %eight = arith.constant 8 : i64
  %v = func.call @by_name() : () -> i64
  vector.print %v : i64
  %w = func.call @by_address(%true) : (i1) -> i64
  vector.print %w : i64
  %x = func.call @by_either(%true) : (i1) -> i64
  vector.print %x : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%eight : i64) outs(%a : memref<4xi64>)
  %y = func.call @either(%true, %a) : (i1, memref<4xi64>) -> i64
  vector.print %y : i64
  return
}
