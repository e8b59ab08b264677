// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stowage.dims states of sizes.

// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=bound unknown-ops=use" \
// RUN:     | FileCheck %s --check-prefix=BOUND
// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=exact unknown-ops=use report=text at=n=10,m=1" \
// RUN:     -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=exact unknown-ops=use report=json:%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: not stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=maybe" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION

// RUN: stowage-opt %s --allow-unregistered-dialect -merge-alloc="dynamic=exact unknown-ops=use" \
// RUN:     | FileCheck %s --check-prefix=NAMED

// BOUND-LABEL: func @stated(
// BOUND: memref.alloc() {alignment = 64 : i64} : memref<204800xi8>
// BOUND-COUNT-3: memref.view
// BOUND: memref.alloc(%{{.*}}) : memref<?xf64>
// BOUND-NOT: memref.alloc

// The sizes asked for count, and a name is one size.

// TEXT: arena 20.00 KiB 20480 B
// TEXT: arena = max(2048*n, 8*max(0, arg2), 2048*m + 1024*n) bytes; the figures are for n=10, m=1, arg2=64
// JSON-DAG: "formula": "max(2048*n, 8*max(0, arg2), 2048*m + 1024*n)"
// JSON-DAG: "sizes": "n=64, m=8, arg2=64"
// JSON-DAG: "formula": "1024*n"
// JSON-DAG: "sizes": [{"name": "n", "value": 64, "min": 0, "max": 100}, {"name": "m", "value": 8, "min": 1, "max": 50}, {"name": "arg2", "value": 64, "min": null, "max": null}]

// OPTION: dynamic
// OPTION-SAME: off, exact or bound
func.func @stated(%x: memref<?x?xf32> {stowage.dims = [{name = "n", max = 100}, {name = "m", min = 1, max = 50, hint = 8}]},
                  %y: memref<?xf32> {stowage.dims = [{name = "n"}]}, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf32>
  %m = memref.dim %x, %c1 : memref<?x?xf32>
  %n2 = memref.dim %y, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?x512xf32>
  "test.use"(%a) : (memref<?x512xf32>) -> ()
  %b = memref.alloc(%m) : memref<?x512xf32>
  %c = memref.alloc(%n2) : memref<?x256xf32>
  "test.use"(%b, %c) : (memref<?x512xf32>, memref<?x256xf32>) -> ()
  %d = memref.alloc(%k) : memref<?xf64>
  "test.use"(%d) : (memref<?xf64>) -> ()
  return
}

// A name that another argument would have without one is its own.

// NAMED-LABEL: func @named
// NAMED-DAG:     arith.maxsi {{.*}}%arg0
// NAMED-DAG:     arith.maxsi {{.*}}%arg1
// NAMED:         memref.view %[[ARENA:.*]][{{.*}}][%arg0]
// NAMED-NEXT:    memref.view %[[ARENA]][{{.*}}][%arg1]
// BOUND-LABEL: func @named
func.func @named(%n: index, %m: index {stowage.dims = [{name = "arg0"}]}) {
  %a = memref.alloc(%n) : memref<?xi8>
  %b = memref.alloc(%m) : memref<?xi8>
  "test.use"(%a) : (memref<?xi8>) -> ()
  "test.use"(%b) : (memref<?xi8>) -> ()
  "test.use"(%a) : (memref<?xi8>) -> ()
  return
}
