// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each buffer gets a memory, and the program computes the same bits: executed before and after, with poison, with address
// spaces of LLVM and without, and with memories to which buffers are only copied.

// RUN: echo '[{name = "sram", bytes = 512, space = 1}, {name = "dram", bytes = 65536, cost = 2}]' > %t.two
// RUN: echo '[{name = "tcm", bytes = 256, alignment = 128, cost = 2}, {name = "sram", bytes = 320, cost = 3}, {name = "dram", bytes = 65536, cost = 9}]' > %t.three
// RUN: echo '[{name = "sram", bytes = 704}, {name = "dram", bytes = 512, copied, space = 1}]' > %t.copied
// RUN: echo '[{name = "main", bytes = 576, default}, {name = "back", bytes = 4096, cost = 2, space = 5}]' > %t.main
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.two reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.two},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.three reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.copied reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.main reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(buffer-deallocation,fit-memory{memories=%t.three reduce-peak=false},lower-memory-spaces)' | FileCheck %s
// RUN: stowage-opt %s --fit-memory='memories=%t.two reduce-peak=false' -o %t.once.mlir
// RUN: stowage-opt %t.once.mlir --fit-memory='reduce-peak=false' -o %t.twice.mlir
// RUN: diff %t.once.mlir %t.twice.mlir
// RUN: FileCheck %s --check-prefix=PLACED < %t.once.mlir
// RUN: stowage-opt %t.once.mlir --lower-memory-spaces | FileCheck %s --check-prefix=LOWERED

// CHECK: equal

// PLACED: module attributes {stowage.memories = [{bytes = 512 : i64, name = "sram", space = 1 : i64}, {bytes = 65536 : i64, cost = 2 : i64, name = "dram"}]}
// PLACED: func.func @waits
// PLACED: memref.alloc() : memref<64xf32, "sram">
// PLACED: func.func @main
// PLACED-NOT: "sram"
// LOWERED-NOT: stowage.memories
// LOWERED-NOT: "sram"
// LOWERED: memref<64xf32, 1>

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

// What an op reads runs again, too, where it is not there any more.
func.func @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  %s = memref.alloc() : memref<f32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.floor ins(%c : memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  linalg.reduce { arith.addf } ins(%d : memref<64xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%b, %s : memref<64xf32>, memref<f32>) outs(%y : memref<64xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %product = arith.mulf %in, %sum : f32
    linalg.yield %product : f32
  }
  return
}

// A fill and what adds to it go together.
func.func @sums(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  }
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// Parts are written by views, and all of it is read by another view.
func.func @views(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<2x32xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %low = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %high = memref.subview %x[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  %first = memref.subview %a[0, 0] [1, 32] [1, 1] : memref<2x32xf32> to memref<32xf32, strided<[1]>>
  %second = memref.subview %a[1, 0] [1, 32] [1, 1] : memref<2x32xf32> to memref<32xf32, strided<[1], offset: 32>>
  linalg.exp ins(%high : memref<32xf32, strided<[1], offset: 32>>) outs(%first : memref<32xf32, strided<[1]>>)
  linalg.abs ins(%low : memref<32xf32, strided<[1]>>) outs(%second : memref<32xf32, strided<[1], offset: 32>>)
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x32xf32> into memref<64xf32>
  linalg.abs ins(%flat : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%flat, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// %a is overwritten as a whole: what it holds then is another value.
func.func @lives(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.floor ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.add ins(%a, %x : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.negf ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%a, %c : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// What a loop allocates is in the first memory; a view of a view keeps the space.
func.func @loop(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<2x32xf32>
  %b = memref.alloc() : memref<64xf32>
  %flat = memref.collapse_shape %a [[0, 1]] : memref<2x32xf32> into memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%flat : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  scf.for %i = %c0 to %c2 step %c1 {
    %row = memref.subview %a[%i, 0] [1, 32] [1, 1] : memref<2x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    %own = memref.alloc() : memref<1x32xf32>
    %half = memref.subview %own[0, 0] [1, 16] [1, 1] : memref<1x32xf32> to memref<1x16xf32, strided<[32, 1]>>
    linalg.negf ins(%row : memref<1x32xf32, strided<[32, 1], offset: ?>>) outs(%own : memref<1x32xf32>)
    linalg.floor ins(%half : memref<1x16xf32, strided<[32, 1]>>) outs(%half : memref<1x16xf32, strided<[32, 1]>>)
    memref.copy %own, %row : memref<1x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
  }
  linalg.add ins(%flat, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// A buffer that a branch chooses, or a call gets, stays where it is.
func.func @chosen(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %first = memref.load %x[%c0] : memref<64xf32>
  %bit = arith.cmpf olt, %first, %zero : f32
  %one = arith.select %bit, %a, %b : memref<64xf32>
  linalg.add ins(%one, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

func.func @show(%y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    vector.print %v : f32
  }
  return
}

func.func @main() {
  %eighth = arith.constant 0.125 : f32
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<64xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %number = arith.index_cast %i : index to i32
    %float = arith.sitofp %number : i32 to f32
    %small = arith.mulf %float, %eighth : f32
    linalg.yield %small : f32
  }
  call @waits(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @chain(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @sums(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @views(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @lives(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @loop(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @chosen(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  return
}
