// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: rm -f %t.*
// RUN: stowage-opt %s --buffer-reuse="analysis report=json:%t.json" -o /dev/null
// RUN: %python -c "import json, sys; r = json.load(open(sys.argv[1])); \
// RUN:     [print(a['function'], a['memory_space'], a['arena_size'], a['lower_bound'], a['planned'], a['left_alone'], a['left_alone_bytes']) for a in r['arenas']]; \
// RUN:     print(*[b['reason'] for a in r['arenas'] for b in a['buffers_left_alone']])" %t.json | FileCheck %s --check-prefix=JSON
// RUN: stowage-opt %s --buffer-reuse="analysis report=csv:%t.csv" -o /dev/null
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// RUN: FileCheck %s --check-prefix=CSV2 < %t-2.csv
// RUN: stowage-opt %s --buffer-reuse="analysis report=trace:%t.trace.json" -o /dev/null
// RUN: %python -c "import json, sys; e = json.load(open(sys.argv[1]))['traceEvents']; \
// RUN:     print(*[(x['args']['value'], x['args']['bytes'], x['ts']) for x in e if x['ph'] == 'b' and x['pid'] == 0]); \
// RUN:     print(sum(x['ph'] == 'b' for x in e), sum(x['ph'] == 'e' for x in e), \
// RUN:           [max(x['args']['bytes'] for x in e if x['ph'] == 'C' and x['pid'] == p and 'alive' in x['name']) for p in (0, 1)])" %t.trace.json | FileCheck %s --check-prefix=TRACE
// RUN: stowage-opt %s --buffer-reuse="analysis report=text:%t.txt" -o %t.out.mlir 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=TEXT < %t.txt
// RUN: stowage-opt %s --buffer-reuse=analysis -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: stowage-opt %s --buffer-reuse=report=text -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: stowage-opt %s --buffer-reuse="analysis report=none" 2>&1 -o /dev/null | count 0
// RUN: stowage-opt %s --buffer-reuse -o /dev/null 2>&1 | count 0
// RUN: stowage-opt %s -o %t.in.mlir
// RUN: diff %t.in.mlir %t.out.mlir

// The same numbers in every form; the analysis changes nothing.

// JSON: two {{.*}}64 64 2 1 12
// JSON: two {{.*}}32 32 2 0 0
// JSON: returned

// CSV: id,lower,upper,size,alignment
// CSV-NEXT: 0,{{[0-9]+}},{{[0-9]+}},64,64,
// CSV-NEXT: 1,{{[0-9]+}},{{[0-9]+}},64,64,{{.*}}%alloc_0,{{[a-z.]+}},,memref<{{.*}}>,{{.*}}reports.mlir:{{[0-9:]+$}}
// CSV-NOT: {{.}}
// CSV2: id,lower,upper,size,alignment
// CSV2-NEXT: 0,{{[0-9]+}},{{[0-9]+}},32,64,
// CSV2-NEXT: 1,{{[0-9]+}},{{[0-9]+}},32,64,

// TRACE: ('%alloc', 64, {{[0-9]+}}) ('%alloc_0', 64, {{[0-9]+}})
// TRACE-NEXT: 4 4 [64, 32]

// TEXT: two
// TEXT: without reuse {{.*}}128 B {{ *}}2 buffers
// TEXT: live at the peak {{.*}}64 B
// TEXT: arena {{.*}}64 B
// TEXT: left alone {{.*}}12 B
// TEXT: reuse pairs {{.*}}1
// TEXT: returned{{.*}}1 buffer
func.func @two(%x: f32) -> memref<3xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.store %x, %a[%c0] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %x, %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  %c = memref.alloc() : memref<8xf32, 1>
  memref.store %x, %c[%c0] : memref<8xf32, 1>
  memref.dealloc %c : memref<8xf32, 1>
  %d = memref.alloc() : memref<8xf32, 1>
  memref.store %x, %d[%c0] : memref<8xf32, 1>
  memref.dealloc %d : memref<8xf32, 1>
  %r = memref.alloc() : memref<3xf32>
  return %r : memref<3xf32>
}
