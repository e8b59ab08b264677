// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants that are read often are copied to the fast memory, if there is room, and the program computes the same bits: executed
// before and after, with poison, with room for all of them and for some, next to a memory of constants alone and one of buffers, too.

// RUN: echo '[{name = "sram", bytes = 4096}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}]' > %t.all
// RUN: echo '[{name = "sram", bytes = 640}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}]' > %t.some
// RUN: echo '[{name = "sram", bytes = 640}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}, {name = "dram", bytes = 65536, cost = 8}]' > %t.three
// RUN: echo '[{name = "sram", bytes = 640, space = 1}, {name = "dram", bytes = 65536, cost = 8, constants}]' > %t.dram
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.all reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.some reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.three},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.dram reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(buffer-deallocation,fit-memory{memories=%t.all reduce-peak=false},lower-memory-spaces)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(buffer-deallocation,fit-memory{memories=%t.some reduce-peak=false},lower-memory-spaces)' | FileCheck %s
// RUN: stowage-opt %s --fit-memory='memories=%t.all reduce-peak=false report=text' --remarks-filter=fit-memory -o %t.all.mlir 2>&1 | FileCheck %s --check-prefix=ALL-SAID
// RUN: FileCheck %s --check-prefix=ALL < %t.all.mlir
// RUN: stowage-opt %s --fit-memory='memories=%t.some reduce-peak=false report=json:%t.json' --remarks-filter=fit-memory -o %t.some.mlir 2>&1 | FileCheck %s --check-prefix=SOME-SAID
// RUN: FileCheck %s --check-prefix=SOME < %t.some.mlir
// RUN: stowage-opt %t.some.mlir --fit-memory='reduce-peak=false' -o %t.twice.mlir
// RUN: diff %t.some.mlir %t.twice.mlir

// CHECK: equal

// ALL-SAID: Function=reads | Remark="constants copied from flash: 1, of 256 bytes; {{.*}} % less time by the model"
// ALL-SAID: Function=loop | Remark="constants copied from flash: 1, of 2048 bytes;
// ALL-SAID: Function=far | Remark="constants copied from flash: 1, of 256 bytes;
// ALL-SAID-NOT: Function=called | Remark="constants
// ALL-SAID: function reads: arenas of 768 bytes, not 512

// ALL-LABEL: func.func @reads
// ALL-DAG: %[[W:.*]] = memref.get_global @weights
// ALL-DAG: %[[COPY:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
// ALL-DAG: %[[ONCE:.*]] = memref.get_global @once
// ALL: linalg.exp
// ALL-NEXT: memref.copy %[[W]], %[[COPY]]
// ALL-NEXT: linalg.add ins(%{{.*}}, %[[COPY]]
// ALL-NOT: memref.copy
// ALL: linalg.sub ins(%{{.*}}, %[[ONCE]]
// ALL: linalg.add ins(%{{.*}}, %[[COPY]]
// ALL-LABEL: func.func @loop
// ALL: memref.copy
// ALL-NEXT: scf.for
// ALL-NOT: memref.copy
// ALL: return
// ALL-LABEL: func.func @called
// ALL-NOT: memref.copy
// ALL: return

// SOME-SAID: Function=reads | Remark="sram: arenas of 512 bytes, not 768; constants without room: 1, of 256 bytes; [[#]].[[#]] % more time by the model, at least
// SOME-SAID: Function=loop | Remark="sram: {{.*}}; constants without room: 1, of 2048 bytes;
// SOME-SAID: Function=far | Remark="sram: arenas of 640 bytes, not 896; ops that run again: 1;
// SOME-SAID: Function=far | Remark="constants copied from flash: 2, of 512 bytes;

// SOME-LABEL: func.func @reads
// SOME-NOT: memref.copy
// SOME: linalg.add ins(%{{.*}}, %[[#]] :
// SOME-LABEL: func.func @far
// SOME: memref.copy %[[W:.*]], %[[FIRST:.*]] :
// SOME: linalg.add ins(%{{.*}}, %[[FIRST]]
// SOME: memref.copy %[[W]], %[[SECOND:.*]] :
// SOME: linalg.add ins(%{{.*}}, %[[SECOND]]

memref.global "private" constant @weights : memref<64xf32> = dense<2.5> {alignment = 64 : i64}
memref.global "private" constant @once : memref<64xf32> = dense<1.5>
memref.global "private" constant @matrix : memref<8x64xf32> = dense<0.25>
memref.global "private" @state : memref<64xf32> = dense<1.0>

// Read by several ops; one that is read once is read where it lies, and so is what is no constant.
func.func @reads(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @weights : memref<64xf32>
  %once = memref.get_global @once : memref<64xf32>
  %state = memref.get_global @state : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.add ins(%a, %w : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.mul ins(%b, %w : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.sub ins(%c, %once : memref<64xf32>, memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.sub ins(%d, %w : memref<64xf32>, memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.add ins(%a, %state : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.sub ins(%b, %state : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%c, %state : memref<64xf32>, memref<64xf32>) outs(%d : memref<64xf32>)
  linalg.add ins(%d, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// Around the loop that reads it in each step, by a view.
func.func @loop(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.get_global @matrix : memref<8x64xf32>
  %part = memref.subview %m[2, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: 128>>
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : memref<8xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
    linalg.matvec ins(%m, %x : memref<8x64xf32>, memref<64xf32>) outs(%a : memref<8xf32>)
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<64xf32>
    linalg.add ins(%y, %part : memref<64xf32>, memref<64xf32, strided<[1], offset: 128>>) outs(%y : memref<64xf32>)
  }
  return
}

// Ops that get one constant have one copy. Between two groups of readers others need the bytes: it is copied twice.
func.func @far(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @weights : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %c = memref.alloc() : memref<64xf32>
  %d = memref.alloc() : memref<32xf32>
  %low = memref.subview %x[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  linalg.add ins(%x, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.add ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.exp ins(%low : memref<32xf32, strided<[1]>>) outs(%b : memref<32xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.abs ins(%b : memref<32xf32>) outs(%d : memref<32xf32>)
  linalg.add ins(%a, %y : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.add ins(%c, %y : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  memref.copy %d, %low : memref<32xf32> to memref<32xf32, strided<[1]>>
  %again = memref.get_global @weights : memref<64xf32>
  linalg.add ins(%y, %again : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %again : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.add ins(%y, %again : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %again : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// What a call gets keeps its memory space.
func.func @called(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @weights : memref<64xf32>
  linalg.add ins(%x, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.add ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  call @show(%w) : (memref<64xf32>) -> ()
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
  call @reads(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @loop(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @far(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  call @called(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  call @show(%y) : (memref<64xf32>) -> ()
  return
}
