// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transfers in place of copies: started one op ahead, waited for in front of the first reader; a constant that is read once may be
// worth one. The program computes the same bits, with poison, whether they are done when they start or when they are waited for.

// RUN: echo '[{name = "sram", bytes = 4096}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}]' > %t.all
// RUN: echo '[{name = "sram", bytes = 640}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}]' > %t.some
// RUN: stowage-opt %s --fit-memory='memories=%t.all reduce-peak=false dma' --remarks-filter=fit-memory -o %t.all.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s < %t.all.mlir
// RUN: stowage-opt %t.all.mlir --merge-alloc=poison --check-arena-plan --buffer-deallocation --lower-memory-spaces -o %t.planned.mlir
// RUN: %python -m testing.settled early < %t.planned.mlir > %t.early.mlir
// RUN: %python -m testing.settled late < %t.planned.mlir > %t.late.mlir
// RUN: %python "%root/exec/harness.py" compare %s %t.early.mlir %t.late.mlir | FileCheck %s --check-prefix=EQUAL
// RUN: stowage-opt %s --fit-memory='memories=%t.some reduce-peak=false dma' --merge-alloc=poison --check-arena-plan --buffer-deallocation --lower-memory-spaces -o %t.some.mlir
// RUN: %python -m testing.settled early < %t.some.mlir > %t.early.mlir
// RUN: %python -m testing.settled late < %t.some.mlir > %t.late.mlir
// RUN: %python "%root/exec/harness.py" compare %s %t.early.mlir %t.late.mlir | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal bit for bit in all 3

// SAID: Function=reads | Remark="constants copied from flash: 2, of 512 bytes; {{.*}} % less time by the model, if transfers run beside other ops for {{.*}} % of their time"

// CHECK-LABEL: func.func @reads
// CHECK-DAG: %[[TAG:.*]] = memref.alloca() : memref<2xi32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[W:.*]] = memref.get_global @weights
// CHECK-DAG: %[[ONCE:.*]] = memref.get_global @once
// CHECK: memref.dma_start %[[W]][%[[ZERO]]], %[[COPY:.*]][%[[ZERO]]], %[[SIZE]], %[[TAG]][%[[ZERO]]]
// CHECK-NEXT: linalg.exp
// CHECK-NEXT: memref.dma_wait %[[TAG]][%[[ZERO]]], %[[SIZE]]
// CHECK-NEXT: linalg.add ins(%{{.*}}, %[[COPY]]
// CHECK: memref.dma_start %[[ONCE]]
// CHECK: linalg.mul
// CHECK: memref.dma_wait
// CHECK: linalg.sub
// CHECK-LABEL: func.func @loop
// CHECK: memref.dma_start
// CHECK: linalg.exp
// CHECK: memref.dma_wait
// CHECK-NEXT: scf.for

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

// Between two groups of readers others need the bytes: it is copied twice.
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
  linalg.add ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.add ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
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
