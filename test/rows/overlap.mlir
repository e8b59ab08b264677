// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a buffer lie over dead rows of another, as near as they can.

// RUN: stowage-opt %s --stream-rows=rows=1 | FileCheck %s
// RUN: stowage-opt %s --stream-rows="rows=1 overlap=false" | FileCheck %s --check-prefix=APART
// RUN: stowage-opt %s --pass-pipeline='builtin.module(stream-rows{rows=1},merge-alloc,check-arena-plan)' | FileCheck %s --check-prefix=ARENA
// RUN: rm -rf %t && mkdir %t
// RUN: stowage-opt %s --stream-rows="rows=1 report=text,json:%t/rows.json,html:%t/rows.html" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: grep -c '"over": "%%alloc", "distance": 0' %t/rows.json
// RUN: %python %S/streams_report.py %t/rows.json %t/rows.html
// RUN: stowage-opt %s --pass-pipeline='builtin.module(stream-rows{rows=1},merge-alloc{report=json:%t/plan.json})' -o /dev/null
// RUN: FileCheck %s --check-prefix=PARTS < %t/plan.json
// RUN: stowage-opt %s --stream-rows=rows=1 --remarks-filter=stream-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=0},merge-alloc{poison},check-arena-plan,canonicalize,cse)' | FileCheck %s --check-prefix=RUNS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{rows=3},merge-alloc,buffer-deallocation)' | FileCheck %s --check-prefix=RUNS

// RUNS: equal
// APART-NOT: memref.view

// The first op of each function reads rows from last to first, as does the last one, so that what
// they make and read is whole.

#id = affine_map<(d0, d1) -> (d0, d1)>
#back = affine_map<(d0, d1) -> (63 - d0, d1)>

// In the step that makes row i of %b, row i of %a was read before: %b lies on %a.

// CHECK-LABEL: func.func @same_rows
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         %[[M:.*]] = memref.alloc() : memref<4224xi8>
// CHECK:         memref.view %[[M]][%[[AT:.*]]][] {stowage.rows = {{[0-9]+}} : i64} : memref<4224xi8> to memref<64x16xf32>
// CHECK:         memref.view %[[M]][%[[AT]]][] {stowage.rows = {{[0-9]+}} : i64} : memref<4224xi8> to memref<64x16xf32>
// CHECK:         scf.for
// CHECK:           memref.view %[[M]][%{{.*}}][] {stowage.rows = {{[0-9]+}} : i64} : memref<4224xi8> to memref<1x16xf64>
// CHECK-NOT:     memref.alloc
// CHECK:         return
// ARENA-LABEL: func.func @same_rows
// ARENA:         %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4224xi8>
// ARENA:         memref.dealloc %[[A]]
// TEXT-LABEL: same_rows
// TEXT-NEXT:  arenas: 12288 bytes before, 4224 after
// TEXT:       whole %alloc memref<64x16xf32> {{[^ ]*}}{{$}}
// TEXT-NEXT:  step %alloc_0 memref<64x16xf64> {{[^ ]*}}{{$}}
// TEXT-NEXT:  whole %alloc_1 memref<64x16xf32> {{[^ ]*}} over %alloc, 0 bytes apart
// PARTS:      "function": "same_rows"
// PARTS:      "type": "memref<4224xi8>", {{.*}} "parts": [
// PARTS-NEXT: "type": "memref<64x16xf32>", {{.*}} "low": [[LOW:[0-9]+]], "high": [[HIGH:[0-9]+]], "before": 4096, {{.*}} "op": "linalg.generic"
// PARTS-NEXT: "type": "memref<64x16xf32>", {{.*}} "low": [[LOW]], "high": [[HIGH]], "before": 4096, {{.*}} "op": "linalg.generic"
// PARTS-NEXT: "type": "memref<1x16xf64>", {{.*}} "before": 8192, {{.*}} "op": "linalg.generic"{{.*}}}]
// REMARK: local buffers of the block need 4224 bytes at the worst moment, not 12288
// REMARK: overlap {{.*}}over dead rows of the buffer at {{.*}}, 0 bytes apart
func.func @same_rows(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// Rows of half the size: %b needs no byte more.

// CHECK-LABEL: func.func @smaller_rows
// CHECK:         memref.alloc() : memref<4160xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @smaller_rows(%x: memref<64x16xf32>, %y: memref<64x16xf16>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf32>
  %b = memref.alloc() : memref<64x16xf16>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.exp ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf32>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf32>) outs(%b : memref<64x16xf16>) {
  ^bb0(%in: f32, %out: f16):
    %to = arith.truncf %in : f32 to f16
    linalg.yield %to : f16
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf16>) outs(%y : memref<64x16xf16>) {
  ^bb0(%in: f16, %out: f16):
    linalg.yield %in : f16
  }
  return
}

// Rows of twice the size: %a lies at the end of %b.

// CHECK-LABEL: func.func @larger_rows
// CHECK:         memref.alloc() : memref<8320xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @larger_rows(%x: memref<64x16xf32>, %y: memref<64x16xf64>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf64>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.exp ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf64>)
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf64>) outs(%y : memref<64x16xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  }
  return
}

// %b of one stream is %a of the next.

// CHECK-LABEL: func.func @chain
// CHECK:         memref.alloc() : memref<4224xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @chain(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  %u = memref.alloc() : memref<64x16xf64>
  %c = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%u : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%u : memref<64x16xf64>) outs(%c : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%c : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// A program that frees its buffers frees the one that they are in.

// CHECK-LABEL: func.func @freed
// CHECK:         %[[M:.*]] = memref.alloc() : memref<4224xi8>
// CHECK-NOT:     memref.dealloc
// CHECK:         memref.dealloc %[[M]]
// CHECK-NEXT:    return
func.func @freed(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  memref.dealloc %a : memref<64x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  memref.dealloc %t : memref<64x16xf64>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  memref.dealloc %b : memref<64x16xf32>
  return
}

// %a is read behind the stream, though nothing of it has to do with %a: %t does not lie there.

// CHECK-LABEL: func.func @read_behind
// CHECK:         scf.for
// CHECK:         return
func.func @read_behind(%x: memref<64x16xf32>, %y: memref<64x16xf32>) -> memref<64x16xf32> {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  %half = arith.constant 0.5 : f64
  linalg.fill ins(%half : f64) outs(%t : memref<64x16xf64>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (f32) {
    %one = memref.load %a[%i, %c1] : memref<64x16xf32>
    %more = arith.addf %acc, %one : f32
    scf.yield %more : f32
  }
  memref.store %sum, %y[%c0, %c1] : memref<64x16xf32>
  return %b : memref<64x16xf32>
}

// Somebody reads %a afterwards.

// CHECK-LABEL: func.func @used_after
// CHECK-NOT:     memref.view {{.*}}stowage.rows
// CHECK:         scf.for
// CHECK-NOT:     memref.view {{.*}}stowage.rows
// CHECK:         return
func.func @used_after(%x: memref<64x16xf32>, %y: memref<64x16xf32>, %z: memref<64x16xf32>) {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%z : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// %x is not the function's own.

// CHECK-LABEL: func.func @argument
// CHECK-NOT:     memref.view {{.*}}stowage.rows
// CHECK:         scf.for
// CHECK-NOT:     memref.view {{.*}}stowage.rows
// CHECK:         return
func.func @argument(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b : memref<64x16xf32>) outs(%y : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// %b is the caller's.

// CHECK-LABEL: func.func @returned
// CHECK-NOT:     memref.view {{.*}}stowage.rows
// CHECK:         return
func.func @returned(%x: memref<64x16xf32>) -> memref<64x16xf32> {
  %a = memref.alloc() : memref<64x16xf32>
  %t = memref.alloc() : memref<64x16xf64>
  %b = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : memref<64x16xf32>) outs(%a : memref<64x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<64x16xf32>) outs(%t : memref<64x16xf64>) {
  ^bb0(%in: f32, %out: f64):
    %to = arith.extf %in : f32 to f64
    linalg.yield %to : f64
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%t : memref<64x16xf64>) outs(%b : memref<64x16xf32>) {
  ^bb0(%in: f64, %out: f32):
    %to = arith.truncf %in : f64 to f32
    linalg.yield %to : f32
  }
  return %b : memref<64x16xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tenth = arith.constant 0.1 : f32
  %x = memref.alloc() : memref<64x16xf32>
  %z = memref.alloc() : memref<64x16xf32>
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]}
    outs(%x : memref<64x16xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %sum = arith.addi %i, %j : index
    %number = arith.index_cast %sum : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %tenth : f32
    linalg.yield %small : f32
  }
  %same_rows = memref.alloc() : memref<64x16xf32>
  call @same_rows(%x, %same_rows) : (memref<64x16xf32>, memref<64x16xf32>) -> ()
  %smaller_rows = memref.alloc() : memref<64x16xf16>
  call @smaller_rows(%x, %smaller_rows) : (memref<64x16xf32>, memref<64x16xf16>) -> ()
  %larger_rows = memref.alloc() : memref<64x16xf64>
  call @larger_rows(%x, %larger_rows) : (memref<64x16xf32>, memref<64x16xf64>) -> ()
  %chain = memref.alloc() : memref<64x16xf32>
  call @chain(%x, %chain) : (memref<64x16xf32>, memref<64x16xf32>) -> ()
  %freed = memref.alloc() : memref<64x16xf32>
  call @freed(%x, %freed) : (memref<64x16xf32>, memref<64x16xf32>) -> ()
  %argument = memref.alloc() : memref<64x16xf32>
  call @argument(%x, %argument) : (memref<64x16xf32>, memref<64x16xf32>) -> ()
  %used_after = memref.alloc() : memref<64x16xf32>
  call @used_after(%x, %used_after, %z) : (memref<64x16xf32>, memref<64x16xf32>, memref<64x16xf32>) -> ()
  %read_behind = memref.alloc() : memref<64x16xf32>
  linalg.fill ins(%tenth : f32) outs(%read_behind : memref<64x16xf32>)
  %other = call @read_behind(%x, %read_behind) : (memref<64x16xf32>, memref<64x16xf32>) -> memref<64x16xf32>
  %returned = call @returned(%x) : (memref<64x16xf32>) -> memref<64x16xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    %from_same_rows = memref.load %same_rows[%i, %c1] : memref<64x16xf32>
    vector.print %from_same_rows : f32
    %from_smaller_rows = memref.load %smaller_rows[%i, %c1] : memref<64x16xf16>
    %as_f32 = arith.extf %from_smaller_rows : f16 to f32
    vector.print %as_f32 : f32
    %from_larger_rows = memref.load %larger_rows[%i, %c1] : memref<64x16xf64>
    vector.print %from_larger_rows : f64
    %from_chain = memref.load %chain[%i, %c1] : memref<64x16xf32>
    vector.print %from_chain : f32
    %from_freed = memref.load %freed[%i, %c1] : memref<64x16xf32>
    vector.print %from_freed : f32
    %from_argument = memref.load %argument[%i, %c1] : memref<64x16xf32>
    vector.print %from_argument : f32
    %from_used_after = memref.load %used_after[%i, %c1] : memref<64x16xf32>
    vector.print %from_used_after : f32
    %from_read_behind = memref.load %read_behind[%i, %c1] : memref<64x16xf32>
    vector.print %from_read_behind : f32
    %from_returned = memref.load %returned[%i, %c1] : memref<64x16xf32>
    vector.print %from_returned : f32
  }
  return
}
