// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constant offsets in maps, along the rows and along other dimensions, of what is read and of what is
// written: `d1 + 2` is `d1` of a part that begins there.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(stream-rows{max-moved=1 rows=3},merge-alloc{poison},check-arena-plan,buffer-deallocation)' | FileCheck %s
// RUN: stowage-opt %s --stream-rows --remarks-filter=stream-rows -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: stowage-opt %s --stream-rows | FileCheck %s --check-prefix=LOOP

// CHECK: equal

// SAID: Function=columns {{.*}}streams: 1; arenas of 160 bytes, not 5120
// SAID: Function=backwards {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 5120
// SAID: Function=written {{.*}}streams: 1; arenas of {{[0-9]+}} bytes, not 5120

// LOOP-LABEL: func.func @columns
// LOOP: scf.for
// LOOP: linalg.add

#same = affine_map<(d0, d1) -> (d0, d1)>
#near = affine_map<(d0, d1) -> (d0 + 1, d1 + 1)>
#far = affine_map<(d0, d1) -> (d0 + 2, d1 + 2)>
func.func @columns(%in: memref<64x20xi32>) -> memref<60x16xi32> {
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  %out = memref.alloc() : memref<60x16xi32>
  linalg.generic {indexing_maps = [#near, #far, #same], iterator_types = ["parallel", "parallel"]}
      ins(%f0, %f0 : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<60x16xi32>) {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %n = arith.subi %y, %x : i32
    linalg.yield %n : i32
  }
  return %out : memref<60x16xi32>
}

// A window that goes backwards in both dimensions: its indices have constants, and begin at 1 and 3.
#back = affine_map<(d0, d1, d2, d3) -> (d0 - d2 + 3, d1 * 2 - d3 + 4)>
#kernel = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#cell = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
func.func @backwards(%in: memref<64x20xi32>, %k: memref<3x2xi32>) -> memref<60x8xi32> {
  %zero = arith.constant 0 : i32
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.add ins(%in, %in : memref<64x20xi32>, memref<64x20xi32>) outs(%f0 : memref<64x20xi32>)
  %out = memref.alloc() : memref<60x8xi32>
  linalg.fill ins(%zero : i32) outs(%out : memref<60x8xi32>)
  linalg.generic {indexing_maps = [#back, #kernel, #cell],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%f0, %k : memref<64x20xi32>, memref<3x2xi32>) outs(%out : memref<60x8xi32>) {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %p = arith.muli %x, %y : i32
    %n = arith.addi %p, %s : i32
    linalg.yield %n : i32
  }
  return %out : memref<60x8xi32>
}

// Written with an offset, too: a frame is left as it was filled.
func.func @written(%in: memref<60x16xi32>) -> memref<64x20xi32> {
  %zero = arith.constant 7 : i32
  %f0 = memref.alloc() : memref<64x20xi32>
  linalg.fill ins(%zero : i32) outs(%f0 : memref<64x20xi32>)
  linalg.generic {indexing_maps = [#same, #far], iterator_types = ["parallel", "parallel"]}
      ins(%in : memref<60x16xi32>) outs(%f0 : memref<64x20xi32>) {
  ^bb0(%x: i32, %s: i32):
    %n = arith.addi %x, %s : i32
    linalg.yield %n : i32
  }
  %out = memref.alloc() : memref<64x20xi32>
  linalg.mul ins(%f0, %f0 : memref<64x20xi32>, memref<64x20xi32>) outs(%out : memref<64x20xi32>)
  return %out : memref<64x20xi32>
}

func.func private @printI64(i64)
func.func private @printNewline()
#line = affine_map<(d0) -> (d0)>
#plane = affine_map<(d0, d1) -> (d0, d1)>
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
func.func @count(%m: memref<?x?xi32>) {
  linalg.generic {indexing_maps = [#plane], iterator_types = ["parallel", "parallel"]} outs(%m : memref<?x?xi32>) {
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
  %y = memref.alloc() : memref<60x16xi32>
  %k = memref.alloc() : memref<3x2xi32>
  %xd = memref.cast %x : memref<64x20xi32> to memref<?x?xi32>
  %yd = memref.cast %y : memref<60x16xi32> to memref<?x?xi32>
  %kd = memref.cast %k : memref<3x2xi32> to memref<?x?xi32>
  call @count(%xd) : (memref<?x?xi32>) -> ()
  call @count(%yd) : (memref<?x?xi32>) -> ()
  call @count(%kd) : (memref<?x?xi32>) -> ()
  %a = call @columns(%x) : (memref<64x20xi32>) -> memref<60x16xi32>
  %b = call @backwards(%x, %k) : (memref<64x20xi32>, memref<3x2xi32>) -> memref<60x8xi32>
  %c = call @written(%y) : (memref<60x16xi32>) -> memref<64x20xi32>
  %ad = memref.cast %a : memref<60x16xi32> to memref<?x?xi32>
  %bd = memref.cast %b : memref<60x8xi32> to memref<?x?xi32>
  %cd = memref.cast %c : memref<64x20xi32> to memref<?x?xi32>
  call @show(%ad) : (memref<?x?xi32>) -> ()
  call @show(%bd) : (memref<?x?xi32>) -> ()
  call @show(%cd) : (memref<?x?xi32>) -> ()
  return
}
