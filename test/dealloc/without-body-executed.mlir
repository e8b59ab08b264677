// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function without a body may give back what it is given. The body that @same has comes afterwards.

// DEFINE: %{body} = sed 's|@same(memref<4xi64>) -> memref<4xi64>$|@same(%%a: memref<4xi64>) -> memref<4xi64> { return %%a : memref<4xi64> }|'
// DEFINE: %{pass} =
// DEFINE: %{check} = stowage-opt %s %{pass} --remarks-filter=buffer-deallocation 2> %t.remarks | %{body} > %t.mlir && \
// DEFINE:   %python %root/exec/harness.py run %t.mlir > %t.heap 2>&1 && FileCheck %s < %t.heap && \
// DEFINE:   FileCheck %s --check-prefix=HEAP < %t.heap

// RUN: %{check}
// REDEFINE: %{pass} = --buffer-deallocation
// RUN: %{check}
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// REDEFINE: %{pass} = --buffer-deallocation=prefer=clones
// RUN: %{check}
// REDEFINE: %{pass} = --buffer-deallocation=unknown-ops=escape
// RUN: %{check}
// REDEFINE: %{pass} = --buffer-deallocation=tighten
// RUN: %{check}
// REDEFINE: %{pass} = --buffer-deallocation="tighten unknown-ops=escape"
// RUN: %{check}
// REDEFINE: %{pass} = --hoist-allocations
// RUN: %{check}
// REDEFINE: %{pass} = --promote-allocs-to-stack
// RUN: %{check}

// REMARK: remark: {{.*}}a function without a body gives it{{.*}}no dealloc is placed for this buffer
// HEAP: leaked_bytes=0 double_frees=0 unknown_frees=0 overruns=0 late_writes=0 late_touches=0

func.func private @same(memref<4xi64>) -> memref<4xi64>

// CHECK: {{^}}1{{$}}
// CHECK-NEXT: {{^}}2{{$}}
// CHECK-NEXT: {{^}}1{{$}}
func.func @main() {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<4xi64>
  linalg.fill ins(%one : i64) outs(%a : memref<4xi64>)
  %same = call @same(%a) : (memref<4xi64>) -> memref<4xi64>
  %b = memref.alloc() : memref<4xi64>
  linalg.fill ins(%two : i64) outs(%b : memref<4xi64>)
  call @show(%same) : (memref<4xi64>) -> ()
  call @show(%b) : (memref<4xi64>) -> ()
  memref.dealloc %b : memref<4xi64>
  call @show(%same) : (memref<4xi64>) -> ()
  memref.dealloc %a : memref<4xi64>
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func private @show(%a: memref<4xi64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<4xi64>
  call @printI64(%v) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
