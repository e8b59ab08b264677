// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=occupancy-memory-in-bytes=1024 --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --merge-alloc='occupancy-memory-in-bytes=1KiB occupancy-workgroups=5' --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: stowage-opt %s --merge-alloc --remarks-filter=merge-alloc -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: stowage-opt %s --merge-alloc='occupancy-memory-in-bytes=1024 report=text,json:%t.json' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: stowage-opt %s --merge-alloc=report=text,json:%t.plain.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: FileCheck %s --check-prefix=PLAIN-JSON --input-file=%t.plain.json

// How many workgroups fit into a multiprocessor's memory, and with how few bytes one more does.

// CHECK: occupancy | {{.*}}Function=kernel | Remark="a workgroup takes 256 bytes of 1024, before 384; workgroups at a time: 4, before 2; 5 with at most 204, 6 with at most 170, 7 with at most 146"
// CHECK: occupancy | {{.*}}Function=alone | Remark="a workgroup takes 2048 bytes of 1024, before 2048; workgroups at a time: 0, before 0; 1 with at most 1024, 2 with at most 512, 3 with at most 341"
// CHECK-NOT: Function=none
// MOST: Remark="a workgroup takes 256 bytes of 1024, before 384; workgroups at a time: 4, before 2; 5 with at most 204"
// NONE-NOT: ] occupancy

// TEXT:      memory of a workgroup of each GPU kernel
// TEXT-NEXT:   kernel  256 B, before 384 B; workgroups in 1024 B: 4, before 2; 5 with at most 204 B, 6 with at most 170 B, 7 with at most 146 B
// TEXT-NEXT:   alone  2048 B, before 2048 B; workgroups in 1024 B: 0, before 0; 1 with at most 1024 B, 2 with at most 512 B, 3 with at most 341 B
// TEXT-NOT:    {{.}}
// JSON:      "kernels": [
// JSON-NEXT:   {"function": "kernel", "location": "{{.*}}", "before": 384, "after": 256, "occupancy": {"memory": 1024, "before": 2, "after": 4, "next": [204, 170, 146]}},
// JSON-NEXT:   {"function": "alone", {{.*}}]
// PLAIN:       kernel  256 B, before 384 B{{$}}
// PLAIN-JSON:  "before": 384, "after": 256}
#ws = #gpu.address_space<workgroup>

gpu.module @device {
  gpu.func @kernel(%x: f32, %y: f16) workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf16, #ws>) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : memref<64xf32, #ws>
    gpu.barrier
    memref.store %y, %b[%t] : memref<64xf16, #ws>
    gpu.return
  }
  gpu.func @alone(%x: f32) workgroup(%a: memref<512xf32, #ws>) kernel {
    %t = gpu.thread_id x
    memref.store %x, %a[%t] : memref<512xf32, #ws>
    gpu.return
  }
  gpu.func @none() kernel {
    gpu.return
  }
}
