// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a loop allocates for itself goes on to the next memory if the first has no room for it, first what costs least per
// byte there; the results stay the same. Where others could go instead, nothing is said of the least cost.

// RUN: echo '[{name = "sram", bytes = 512, alignment = 64}, {name = "dram", bytes = 65536, cost = 2}]' > %t.two
// RUN: stowage-opt %s --fit-memory='memories=%t.two reduce-peak=false' --remarks-filter=fit-memory 2>&1 | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(fit-memory{memories=%t.two reduce-peak=false},merge-alloc{poison},check-arena-plan,buffer-deallocation,lower-memory-spaces)' | FileCheck %s --check-prefix=SAME

// CHECK: Function=own | Remark="sram: arenas of 512 bytes, not 4608; buffers placed in dram: 1, of 4096 bytes; 27.23 % more time by the model, at least 27.23 %"
// CHECK: Function=own | Remark="dram: arenas of 4096 bytes"
// CHECK: Function=either | Remark="sram: arenas of 512 bytes, not 768; buffers placed in dram: 1, of 256 bytes; 7.83 % more time by the model, at least 0.00 %"
// CHECK: func.func @own(%arg0
// CHECK: scf.for
// CHECK: memref.alloc() : memref<1024xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<64xf32, "sram">
// SAME: equal

func.func @own(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.for %i = %c0 to %c4 step %c1 {
    %own = memref.alloc() : memref<1024xf32>
    %small = memref.alloc() : memref<64xf32>
    %part = memref.subview %own[0] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1]>>
    linalg.abs ins(%a : memref<64xf32>) outs(%part : memref<64xf32, strided<[1]>>)
    linalg.negf ins(%part : memref<64xf32, strided<[1]>>) outs(%small : memref<64xf32>)
    linalg.floor ins(%small : memref<64xf32>) outs(%y : memref<64xf32>)
  }
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %eighth = arith.constant 0.125 : f32
  %x = memref.alloc() : memref<64xf32>
  %y = memref.alloc() : memref<64xf32>
  linalg.fill ins(%eighth : f32) outs(%x : memref<64xf32>)
  call @own(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    vector.print %v : f32
  }
  return
}

func.func @either(%x: memref<128xf32>, %y: memref<64xf32>, %u: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %often = memref.alloc() : memref<128xf32>
    %once = memref.alloc() : memref<64xf32>
    linalg.exp ins(%y : memref<64xf32>) outs(%once : memref<64xf32>)
    linalg.exp ins(%x : memref<128xf32>) outs(%often : memref<128xf32>)
    linalg.abs ins(%often : memref<128xf32>) outs(%often : memref<128xf32>)
    linalg.abs ins(%often : memref<128xf32>) outs(%often : memref<128xf32>)
    linalg.add ins(%often, %u : memref<128xf32>, memref<128xf32>) outs(%u : memref<128xf32>)
    linalg.add ins(%once, %y : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  }
  return
}
