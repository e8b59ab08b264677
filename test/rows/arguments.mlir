// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An argument is written in steps where nothing else reaches its memory: by llvm.noalias, by memref.distinct_objects, or by an
// option.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{assume-noalias-arguments rows=3},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s --check-prefix=SAME
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stowage-memory{reduce-peak})' | FileCheck %s --check-prefix=SAME
// RUN: stowage-opt %s --stream-rows --remarks-filter=stream-rows -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --stream-rows=assume-noalias-arguments --remarks-filter=stream-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL

// SAME: equal

// What is only read may be named twice; what is written has no other name.
// CHECK: Function=out {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 10080
// ALL: Function=out {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 10080
func.func @out(%in: memref<64x20xi32>, %too: memref<64x20xi32>, %out: memref<62x20xi32> {llvm.noalias}) {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %too : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  %lo = memref.subview %f0[0, 0] [62, 20] [1, 1] : memref<64x20xi32> to memref<62x20xi32, strided<[20, 1]>>
  %hi = memref.subview %f0[2, 0] [62, 20] [1, 1] : memref<64x20xi32> to memref<62x20xi32, strided<[20, 1], offset: 40>>
  %f1 = memref.alloc() : memref<62x20xi32>
  linalg.sub ins(%lo, %hi : memref<62x20xi32, strided<[20, 1]>>, memref<62x20xi32, strided<[20, 1], offset: 40>>) outs(%f1 : memref<62x20xi32>)
  linalg.mul ins(%f1, %f1 : memref<62x20xi32>, memref<62x20xi32>) outs(%out : memref<62x20xi32>)
  return
}

// Updated in place, twice.
// CHECK: Function=update {{.*}}streams: 1
func.func @update(%in: memref<64x20xi32>, %out: memref<64x20xi32> {llvm.noalias}) {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  linalg.add ins(%f0, %out : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  %f1 = memref.alloc() : memref<64x20xi32>
  linalg.mul ins(%out, %f0 : memref<64x20xi32>, memref<64x20xi32>) outs(%f1 : memref<64x20xi32>)
  linalg.sub ins(%out, %f1 : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

// Rows of the result are needed again from the first one on, after all are written.
// CHECK: Function=again
func.func @again(%in: memref<64x20xi32>, %out: memref<64x20xi32> {llvm.noalias}) {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  linalg.mul ins(%f0, %f0 : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  %f1 = memref.alloc() : memref<64x20xi32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (63 - d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%out : memref<64x20xi32>) outs(%f1 : memref<64x20xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  linalg.sub ins(%f1, %f0 : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

// CHECK: Function=distinct {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 5120
func.func @distinct(%a: memref<64x20xi32>, %b: memref<64x20xi32>) {
  %in, %out = memref.distinct_objects %a, %b : memref<64x20xi32>, memref<64x20xi32>
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  linalg.mul ins(%f0, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

// Distinct from one other, but not from all.
// CHECK: writes-outside {{.*}}linalg.mul{{.*}}Suggestion="give its result an allocation, and copy that at the end"
// CHECK-NOT: Function=third {{.*}}streams
func.func @third(%a: memref<64x20xi32>, %b: memref<64x20xi32>, %c: memref<64x20xi32>) {
  %in, %out = memref.distinct_objects %a, %b : memref<64x20xi32>, memref<64x20xi32>
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %c : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  linalg.mul ins(%f0, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

// CHECK: writes-outside {{.*}}linalg.sub{{.*}}Suggestion="if nothing else reaches the argument's memory, give it llvm.noalias, or set assume-noalias-arguments"
// CHECK-NOT: Function=unsaid {{.*}}streams
// ALL: Function=unsaid {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 5120
func.func @unsaid(%in: memref<64x20xi32>, %out: memref<64x20xi32>) {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  linalg.sub ins(%f0, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

// Another name of the argument gets out of sight.
// CHECK-NOT: Function=hidden {{.*}}streams
func.func private @other(%m: memref<64x20xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  memref.store %one, %m[%c0, %c0] : memref<64x20xi32>
  return
}
func.func @hidden(%in: memref<64x20xi32>, %out: memref<64x20xi32> {llvm.noalias}) {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  call @other(%out) : (memref<64x20xi32>) -> ()
  linalg.sub ins(%f0, %out : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func @show(%m: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %m, %c0 : memref<?x?xi32>
  %w = memref.dim %m, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %h step %c1 {
    scf.for %j = %c0 to %w step %c1 {
      %v = memref.load %m[%i, %j] : memref<?x?xi32>
      %x = arith.extsi %v : i32 to i64
      func.call @printI64(%x) : (i64) -> ()
      func.call @printNewline() : () -> ()
    }
  }
  return
}
func.func @fill(%m: memref<64x20xi32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%m : memref<64x20xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c31 = arith.constant 31 : index
    %a = arith.muli %i, %c31 : index
    %b = arith.muli %j, %j : index
    %s = arith.addi %a, %b : index
    %n = arith.index_cast %s : index to i32
    linalg.yield %n : i32
  }
  return
}
func.func @main() {
  %x = memref.alloc() : memref<64x20xi32>
  %y = memref.alloc() : memref<64x20xi32>
  %z = memref.alloc() : memref<62x20xi32>
  call @fill(%x) : (memref<64x20xi32>) -> ()
  call @fill(%y) : (memref<64x20xi32>) -> ()
  %yd = memref.cast %y : memref<64x20xi32> to memref<?x?xi32>
  %zd = memref.cast %z : memref<62x20xi32> to memref<?x?xi32>
  call @out(%x, %x, %z) : (memref<64x20xi32>, memref<64x20xi32>, memref<62x20xi32>) -> ()
  call @show(%zd) : (memref<?x?xi32>) -> ()
  call @update(%x, %y) : (memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  call @again(%x, %y) : (memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  call @distinct(%x, %y) : (memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  call @third(%x, %y, %x) : (memref<64x20xi32>, memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  call @unsaid(%x, %y) : (memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  call @hidden(%x, %y) : (memref<64x20xi32>, memref<64x20xi32>) -> ()
  call @show(%yd) : (memref<?x?xi32>) -> ()
  return
}
