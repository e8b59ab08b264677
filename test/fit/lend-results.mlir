// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A merge-alloc into memory of the caller puts no buffer into a result. What fits only with that is made to fit without.

// RUN: stowage-opt %s --fit-memory="capacity-in-bytes=4096 reduce-peak=false" --remarks-filter=fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=LENT
// RUN: stowage-opt %s --fit-memory="capacity-in-bytes=8192 reduce-peak=false lend-results=false" --remarks-filter=fit-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not stowage-opt %s --fit-memory="capacity-in-bytes=4096 reduce-peak=false lend-results=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: stowage-opt %s --fit-memory="capacity-in-bytes=8192 reduce-peak=false lend-results=false" --merge-alloc="arena=argument public capacity-in-bytes=8192" | FileCheck %s
// RUN: not stowage-opt %s --fit-memory="capacity-in-bytes=4096 reduce-peak=false" --merge-alloc="arena=argument public capacity-in-bytes=4096" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ABOVE

// LENT:  arenas of 4096 bytes fit already
// APART: arenas of 8192 bytes fit already
// ALONE: error: {{.*}}needs 8192 bytes
// ABOVE: error: {{.*}}8192
// CHECK: func.func @ends(%{{.*}}: memref<1024xf32>, %{{.*}}: memref<8192xi8>
func.func @ends(%x: memref<1024xf32>) -> memref<1024xf32> {
  %a = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%x : memref<1024xf32>) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %r = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%r : memref<1024xf32>)
  return %r : memref<1024xf32>
}
