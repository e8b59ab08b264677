// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc="arena=global report=text" -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --merge-alloc="arena=argument public report=text" -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --merge-alloc="arena=stack report=text" -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --merge-alloc="arena=stack arena-stack-limit-in-bytes=1000 report=text" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: stowage-opt %s --merge-alloc="arena=argument public keep-wrapper report=text" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: stowage-opt %s --merge-alloc="arena=global report=json:%t.json" -o %t.mlir
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: stowage-opt %s --merge-alloc="arena=global report=html:%t.html" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.html

// What the heap holds before and after, where the arenas are not the heap's: what is returned stays.

// CHECK:      heap at the peak of each function
// CHECK-NEXT: function before after
// CHECK-NEXT: main 13.00 KiB 13312 B 1.00 KiB 1024 B saves 92.31 %
// CHECK-NEXT: inner 8.00 KiB 8192 B 0 B saves 100.00 %

// The frame of an entry point is allocated where it is too large for the stack, or by a wrapper.
// LIMIT:      heap at the peak of each function
// LIMIT:      main 13.00 KiB 13312 B 13.00 KiB 13312 B saves 0.00 %

// JSON: "heaps":
// JSON: "function": "main", {{.*}}"before": 13312, "after": 1024
func.func @main(%x: f32, %q: memref<1024xf32>) -> memref<256xf32> {
  %r = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%r : memref<256xf32>)
  %a = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
  call @inner(%x, %q) : (f32, memref<1024xf32>) -> ()
  memref.copy %a, %q : memref<1024xf32> to memref<1024xf32>
  memref.dealloc %a : memref<1024xf32>
  return %r : memref<256xf32>
}
func.func private @inner(%x: f32, %q: memref<1024xf32>) {
  %a = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2048xf32>)
  %p = memref.subview %a[0] [1024] [1] : memref<2048xf32> to memref<1024xf32, strided<[1]>>
  memref.copy %p, %q : memref<1024xf32, strided<[1]>> to memref<1024xf32>
  memref.dealloc %a : memref<2048xf32>
  return
}
