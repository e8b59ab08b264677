// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --merge-alloc=report=text,json:%t.json,html:%t.html -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: FileCheck %s --input-file=%t.json
// RUN: FileCheck %s --input-file=%t.html
// RUN: stowage-opt %s --merge-alloc='workgroup-capacity-in-bytes=512 report=json:%t.capacity.json' -o /dev/null
// RUN: FileCheck %s --check-prefix=CAPACITY --input-file=%t.capacity.json

// The workgroup memory of a kernel is an arena like any other, but in steps that barriers end. An attribution is named as an
// argument is, and made by what writes it; of one that nothing touches nothing is said. The host's arena is in points.

// TEXT: kernel, memory space #gpu.address_space<workgroup>
// TEXT: at step 0, 1 buffer alive
// TEXT: host
// TEXT: at point {{[0-9]+}}, 1 buffer alive

// CHECK:     "function": "kernel",
// CHECK:     "workgroup": true,
// CHECK:     "arena_size": 256,
// CHECK:     "capacity": null,
// CHECK:     "peak": 0,
// CHECK:     "size": 256, "alignment": 16, "begin": 0, "end": 1, "op": "memref.store", {{.*}}"offset": 0, "live_at_peak": true}
// CHECK:     "size": 128, "alignment": 16, "begin": 1, "end": 2, "op": "vector.store", {{.*}}"offset": 0, "live_at_peak": false}
// CHECK:     "buffers_left_alone": [
// CHECK:     "size": 64, "alignment": 4, "begin": 0, "end": 0, "reason": "unused"
// CHECK:     "function": "alone",
// CHECK:     "suggestion": "a gpu.barrier between its uses
// CHECK:     "function": "host",
// CHECK-NOT: "workgroup"
// CHECK:     "arena_size": 256,
// CHECK:     "scope": "gpu.launch",
// CHECK:     "workgroup": true,
// CHECK:     "arena_size": 32,
// CHECK:     "begin": 1, "end": 2,

// CAPACITY: "capacity": 448
// CAPACITY: "capacity": 384
// CAPACITY: "capacity": null
// CAPACITY: "capacity": 497
#ws = #gpu.address_space<workgroup>

module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: f32, %y: vector<2xf16>) workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf16, #ws>, %unused: memref<16xf32, #ws>) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : memref<64xf32, #ws>
      gpu.barrier
      vector.store %y, %b[%t] : memref<64xf16, #ws>, vector<2xf16>
      gpu.return
    }
    gpu.func @alone(%x: f32) workgroup(%a: memref<32xf32, #ws>) kernel {
      %t = gpu.thread_id x
      memref.store %x, %a[%t] : memref<32xf32, #ws>
      gpu.return
    }
  }
  func.func @host(%x: f32, %i: index) {
    %a = memref.alloc() : memref<64xf32>
    memref.store %x, %a[%i] : memref<64xf32>
    memref.dealloc %a : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    memref.store %x, %b[%i] : memref<64xf32>
    memref.dealloc %b : memref<64xf32>
    %one = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one)
               threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one)
               workgroup(%c: memref<8xf32, #ws>, %d: memref<8xf32, #ws>) {
      memref.store %x, %c[%tx] : memref<8xf32, #ws>
      gpu.barrier
      memref.store %x, %d[%tx] : memref<8xf32, #ws>
      gpu.terminator
    }
    return
  }
}
