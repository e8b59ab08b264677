// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --buffer-reuse="analysis report=json:%t.json" -o /dev/null
// RUN: FileCheck %s < %t.json
// RUN: stowage convert %t.json --output=%t.csv
// RUN: FileCheck %s --check-prefix=CSV < %t.csv

// A buffer has the outermost name in its location, else that of the op that fills it, else none.

// CHECK: "name": "%alloc", {{.*}} "location": "net.py:7:1", {{.*}} "op": "memref.store", "layer": "encoder/dense \"1\""
// CHECK: "name": "%alloc_0", {{.*}} "layer": "encoder/sum"
// CHECK: "name": "%alloc_1", {{.*}} "op": "memref.store", "op_location": "{{[^"]*}}", "offset"
// CHECK: "name": "%alloc_2", {{.*}} "layer": "inlined"
// CSV: id,lower,upper,size,alignment,offset,name,op,layer,type,location
// CSV-NEXT: %alloc,memref.store,"encoder/dense ""1""",memref<16xf32>,net.py:7:1
// CSV-NEXT: %alloc_0,memref.store,encoder/sum,memref<16xf32>,
// CSV-NEXT: %alloc_1,memref.store,,memref<16xf32>,
func.func @layers(%x: f32) {
  %c0 = arith.constant 0 : index
  %alloc = memref.alloc() : memref<16xf32> loc("encoder/dense \"1\""("kernel"("net.py":7:1)))
  memref.store %x, %alloc[%c0] : memref<16xf32> loc("other")
  memref.dealloc %alloc : memref<16xf32>
  %alloc_0 = memref.alloc() : memref<16xf32>
  memref.store %x, %alloc_0[%c0] : memref<16xf32> loc("encoder/sum")
  memref.dealloc %alloc_0 : memref<16xf32>
  %alloc_1 = memref.alloc() : memref<16xf32>
  memref.store %x, %alloc_1[%c0] : memref<16xf32>
  memref.dealloc %alloc_1 : memref<16xf32>
  %alloc_2 = memref.alloc() : memref<16xf32> loc(callsite("inlined" at "net.py":9:1))
  memref.store %x, %alloc_2[%c0] : memref<16xf32>
  memref.dealloc %alloc_2 : memref<16xf32>
  return
}
