// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies of constants that are no transfers, constants that are not copied, and what constants leave of the memory they lie in.

// RUN: split-file %s %t
// RUN: stowage-opt %t/odd.mlir --fit-memory='memories=%t/flash.txt reduce-peak=false dma' -o %t.odd.mlir
// RUN: FileCheck %s --check-prefix=ODD < %t.odd.mlir
// RUN: stowage-opt %t.odd.mlir --fit-memory='reduce-peak=false dma' -o %t.twice.mlir
// RUN: diff %t.odd.mlir %t.twice.mlir
// RUN: stowage-opt %t/named.mlir --fit-memory=memories=%t/flash.txt --lower-memory-spaces | FileCheck %s --check-prefix=NAMED
// RUN: stowage-opt %t/small.mlir --fit-memory='memories=%t/back.txt reduce-peak=false' -o /dev/null
// RUN: stowage-opt %t/small.mlir --fit-memory='memories=%t/enough.txt reduce-peak=false' -o /dev/null
// RUN: not stowage-opt %t/small.mlir --fit-memory='memories=%t/shared.txt reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not stowage-opt %t/small.mlir --fit-memory='memories=%t/full.txt reduce-peak=false' -o /dev/null 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not stowage-opt %t/small.mlir --fit-memory='memories=%t/none.txt dma' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not stowage-opt %t/small.mlir --fit-memory='capacity-in-bytes=512 dma' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// RUN: stowage-opt %t/aligned.mlir --fit-memory='memories=%t/flash.txt reduce-peak=false' | FileCheck %s --check-prefix=ASSUMED
// RUN: stowage-opt %t/aligned.mlir --fit-memory='memories=%t/room.txt reduce-peak=false' | FileCheck %s --check-prefix=ROOM
// RUN: stowage-opt %t/aligned.mlir --fit-memory='memories=%t/memory.txt reduce-peak=false' | FileCheck %s --check-prefix=MEMORY
// RUN: stowage-opt %t/aligned.mlir --fit-memory='memories=%t/two.txt reduce-peak=false' | FileCheck %s --check-prefix=ALIGNED

// SHARED: small.mlir:7:3: error: fit-memory: 'linalg.exp' alone needs 512 bytes, with what stays around it; dram without its constants is 511
// FULL: error: fit-memory: 'linalg.exp' alone needs 512 bytes, with what stays around it; dram without its constants is 0
// NONE: error: fit-memory: dma copies constants, and none of the memories has any: say of one that it has `constants`

// What is read before a copy fills it, what no op reads, and what is filled in one arm only.
// ODD-LABEL: func.func @early
// ODD-NOT: memref.dma_start
// ODD-LABEL: func.func @dead
// ODD-NOT: memref.dma_start
// ODD-LABEL: func.func @arm
// ODD-NOT: memref.dma_start

// Work that goes on after the function reads the constant itself.
// ODD-LABEL: func.func @started
// ODD-NOT: memref.copy
// ODD-NOT: memref.dma_start
// ODD-LABEL: func.func @scalar
// ODD: memref.dma_start %{{.*}}[], %[[COPY:.*]][], %
// ODD-NEXT: linalg.exp
// ODD-NEXT: memref.dma_wait
// ODD: memref.load %[[COPY]][]

// NAMED: memref.global "private" constant @w : memref<64xf32, 3>
// NAMED: memref.get_global @w : memref<64xf32, 3>

// A constant that is assumed to be aligned more than it states has such a copy, but not where a part of it is. What the memory asks for
// is no reason against a copy. A buffer that asks for more is not replaced by the constant.
// ASSUMED-LABEL: func.func @assumed
// ASSUMED: %[[COPY:.*]] = memref.alloc() {alignment = 128 : i64}
// ASSUMED-NEXT: memref.assume_alignment %[[COPY]], 128
// ASSUMED: memref.copy %{{[0-9]+}}, %[[COPY]]
// ASSUMED-LABEL: func.func @shaped
// ASSUMED: memref.alloc() {alignment = 128 : i64}
// ASSUMED: memref.copy
// ASSUMED-LABEL: func.func @part
// ASSUMED-NOT: memref.copy
// ASSUMED: return
// ROOM-NOT: memref.copy
// ROOM: memref.assume_alignment %{{[0-9]+}}, 128
// ROOM-NOT: memref.copy
// ROOM-LABEL: func.func @shaped
// ROOM-NOT: memref.copy
// ROOM-LABEL: func.func @part
// MEMORY: memref.alloc() {alignment = 256 : i64}
// MEMORY-NEXT: memref.assume_alignment
// MEMORY: memref.copy
// ALIGNED-LABEL: func.func @aligned
// ALIGNED: %[[BUFFER:.*]] = memref.alloc() {alignment = 64 : i64}
// ALIGNED: memref.assume_alignment %[[BUFFER]], 64

//--- two.txt
[{name = "sram", bytes = 1024}, {name = "flash", bytes = 4096, cost = 2, constants, read_only}, {name = "dram", bytes = 4096, cost = 2}]
//--- room.txt
[{name = "sram", bytes = 128}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}, {name = "dram", bytes = 4096, cost = 7}]
//--- memory.txt
[{name = "sram", bytes = 4096, alignment = 256}, {name = "flash", bytes = 4096, cost = 6, constants, read_only}]
//--- flash.txt
[{name = "sram", bytes = 4096}, {name = "flash", bytes = 4096, cost = 6, constants, read_only, space = 3}]
//--- back.txt
[{name = "sram", bytes = 512}, {name = "back", bytes = 1000, cost = 2, copied}, {name = "flash", bytes = 512, cost = 6, constants, read_only}]
//--- enough.txt
[{name = "sram", bytes = 128}, {name = "dram", bytes = 1024, cost = 6, constants}]
//--- shared.txt
[{name = "sram", bytes = 128}, {name = "dram", bytes = 1023, cost = 6, constants}]
//--- full.txt
[{name = "sram", bytes = 128}, {name = "dram", bytes = 512, cost = 6, constants}]
//--- none.txt
[{name = "sram", bytes = 512}, {name = "dram", bytes = 512, cost = 6}]

//--- odd.mlir
memref.global "private" constant @w : memref<64xf32> = dense<2.5>
memref.global "private" constant @s : memref<f32> = dense<2.5>
func.func @early(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @w : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  memref.copy %w, %a : memref<64xf32> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.add ins(%y, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}
func.func @dead(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @w : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.copy %w, %a : memref<64xf32> to memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
func.func @arm(%x: memref<64xf32>, %y: memref<64xf32>, %c: i1) {
  %w = memref.get_global @w : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  scf.if %c {
    memref.copy %w, %a : memref<64xf32> to memref<64xf32>
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
func.func @started(%x: memref<64xf32>, %y: memref<64xf32>) -> !async.token {
  %w = memref.get_global @w : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  %t = async.execute {
    linalg.add ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    linalg.mul ins(%y, %w : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    async.yield
  }
  return %t : !async.token
}
func.func @scalar(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @s : memref<f32>
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  affine.for %i = 0 to 64 {
    %a = memref.load %w[] : memref<f32>
    memref.store %a, %y[%i] : memref<64xf32>
  }
  return
}

//--- named.mlir
memref.global "private" constant @w : memref<64xf32, "flash"> = dense<2.5>
func.func @f(%x: memref<64xf32>) {
  %w = memref.get_global @w : memref<64xf32, "flash">
  linalg.exp ins(%w : memref<64xf32, "flash">) outs(%x : memref<64xf32>)
  return
}

//--- small.mlir
memref.global "private" constant @w : memref<128xf32> = dense<2.5>
memref.global "private" constant @elsewhere : memref<128xf32, 7> = dense<2.5>
func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

//--- aligned.mlir
memref.global "private" constant @w : memref<64xf32> = dense<2.0>
func.func @assumed(%x: memref<64xf32>, %y: memref<64xf32>) {
  %w = memref.get_global @w : memref<64xf32>
  %a = memref.assume_alignment %w, 128 : memref<64xf32>
  linalg.add ins(%x, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  linalg.mul ins(%y, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
func.func @shaped(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %w = memref.get_global @w : memref<64xf32>
  %e = memref.expand_shape %w [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %a = memref.assume_alignment %e, 128 : memref<8x8xf32>
  linalg.add ins(%x, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  linalg.mul ins(%y, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%y : memref<8x8xf32>)
  return
}
func.func @part(%x: memref<32xf32>, %y: memref<32xf32>) {
  %w = memref.get_global @w : memref<64xf32>
  %p = memref.subview %w[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  %a = memref.assume_alignment %p, 1024 : memref<32xf32, strided<[1], offset: 32>>
  linalg.add ins(%x, %a : memref<32xf32>, memref<32xf32, strided<[1], offset: 32>>) outs(%y : memref<32xf32>)
  linalg.mul ins(%y, %a : memref<32xf32>, memref<32xf32, strided<[1], offset: 32>>) outs(%y : memref<32xf32>)
  return
}
func.func @aligned(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %w = memref.get_global @w : memref<64xf32>
  %a = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  %t = memref.alloc() : memref<128xf32>
  %u = memref.alloc() : memref<128xf32>
  memref.copy %w, %a : memref<64xf32> to memref<64xf32>
  linalg.fill ins(%one : f32) outs(%t : memref<128xf32>)
  linalg.abs ins(%t : memref<128xf32>) outs(%u : memref<128xf32>)
  %z = memref.load %u[%zero] : memref<128xf32>
  memref.store %z, %y[%zero] : memref<64xf32>
  %aa = memref.assume_alignment %a, 64 : memref<64xf32>
  %v = vector.load %aa[%zero] {alignment = 64} : memref<64xf32>, vector<16xf32>
  vector.store %v, %y[%zero] : memref<64xf32>, vector<16xf32>
  return
}
