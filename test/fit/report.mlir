// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What fewer bytes cost: as text, as JSON, and drawn on the page, whose map names the buffers that come anew. Also of functions
// that fit, which stay as they are, and of those that cannot fit.

// RUN: stowage-opt %s --fit-memory='capacity-in-bytes=512 reduce-peak=false report=text,json:%t.json,html:%t.html' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: %python -m json.tool %t.json %t.again
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// RUN: stowage-opt %s --fit-memory='capacity-in-bytes=512 reduce-peak=false spill-space=1 spill-cost=1 report=text' -o %t.mlir --mlir-print-debuginfo 2>&1 | FileCheck %s --check-prefix=SPILLED
// RUN: FileCheck %s --check-prefix=NAMED < %t.mlir
// RUN: stowage-opt %s --fit-memory='capacity-in-bytes=4KiB report=text' -o %t.fits.mlir 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: stowage-opt %s -o %t.given.mlir
// RUN: diff %t.given.mlir %t.fits.mlir
// RUN: not stowage-opt %s --fit-memory='capacity-in-bytes=256 reduce-peak=false report=text' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: not stowage-opt %s --fit-memory='capacity-in-bytes=512 report=svg:%t.svg' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT

// TEXT: fit-memory: capacity 512
// TEXT-NEXT: function waits: arenas of 512 bytes, not 768
// TEXT-NEXT: bytes alive       more time        at least       ops again           loads
// TEXT-NEXT: {{^ +}}768          0.00 %          0.00 %               0               0
// TEXT-NEXT: {{^ +}}512         22.50 %         22.50 %               1               0
// TEXT-NEXT: no choice keeps 511 bytes alive or fewer, with the buffers as they are

// JSON: "capacity": 512
// JSON: {"function": "waits", "arena_before": 768, "arena_after": 512, "cost": 2564, "impossible": 511,
// JSON: {"bytes": 768, "cost": 0, "bound": 0,
// JSON: {"bytes": 512, "cost": 577, "bound": 577,
// JSON: {"op": "linalg.exp", "location": "{{.*}}report.mlir:[[#]]:3", "action": "again", "times": 1, "cost": 577}

// PAGE: <section id="frontiers">
// PAGE: <svg class="frontier"
// PAGE: <line class="capacity"
// PAGE: <td>512</td><td>22.50 %</td><td>22.50 %</td><td>1</td><td>0</td><td>linalg.exp at
// PAGE: "layer": "linalg.exp (again)"

// SPILLED: {{^ +}}512         19.97 %         19.97 %               0               1
// NAMED: memref.copy
// NAMED: loc("memref.alloc (spilled)"(

// FITS: fit-memory: arenas of 768 bytes fit already
// FITS: function waits: arenas of 768 bytes{{$}}
// FITS: {{^ +}}512         22.50 %

// NOT: error: fit-memory: 'linalg.abs' alone needs 512 bytes
// NOT: function waits: arenas of 768 bytes{{$}}
// NOT: no choice keeps 511 bytes alive or fewer

// FORMAT: error: {{.*}}report

func.func @waits(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
