// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lives of views: outside of its life a part of a buffer is free for others, as far as the function
// keeps to its markers.

// RUN: stowage-opt %s --verify-lifetimes -o /dev/null
// RUN: stowage-opt %s --merge-alloc --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=poison --check-arena-plan -o /dev/null
// RUN: stowage-opt %s --buffer-reuse --check-arena-plan | FileCheck %s
// RUN: stowage-opt %s --merge-alloc=report=json:%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: stowage-opt %s --convert-lifetime-to-llvm=prepare --merge-alloc | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func.func @halves(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: lifetime
// JSON: "function": "halves"
// JSON: "pieces": {{\[\[[0-9]+}}, [[B:[0-9]+]], 0, 128], {{\[}}[[B]], [[C:[0-9]+]], 0, 256], {{\[}}[[C]], {{[0-9]+}}, 128, 256]]
// WITHOUT-LABEL: func.func @halves(
// WITHOUT: memref.alloc() {{.*}} : memref<384xi8>
func.func @halves(%x: memref<32xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %t = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  linalg.exp ins(%x : memref<32xf32>) outs(%s : memref<32xf32, strided<[1]>>)
  lifetime.start %t : memref<32xf32, strided<[1], offset: 32>>
  linalg.exp ins(%s : memref<32xf32, strided<[1]>>) outs(%t : memref<32xf32, strided<[1], offset: 32>>)
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %y, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  memref.copy %t, %y : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  lifetime.end %t : memref<32xf32, strided<[1], offset: 32>>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// The arena of another tool, in the value form, and what it does not know of.
// CHECK-LABEL: func.func @bytes(
// CHECK: memref.alloc() {{.*}} : memref<512xi8>
// CHECK-NOT: memref.alloc(
func.func @bytes(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %arena = memref.alloc() : memref<512xi8>
  %b = memref.alloc() : memref<64xf32>
  %s = memref.view %arena[%c0][] : memref<512xi8> to memref<64xf32>
  %t = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
  %l = lifetime.start %s : memref<64xf32>
  memref.copy %x, %l : memref<64xf32> to memref<64xf32>
  memref.copy %l, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %l : memref<64xf32>
  %m = lifetime.start %t : memref<64xf32>
  memref.copy %x, %m : memref<64xf32> to memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  memref.copy %m, %x : memref<64xf32> to memref<64xf32>
  lifetime.end %m : memref<64xf32>
  memref.dealloc %arena : memref<512xi8>
  memref.dealloc %b : memref<64xf32>
  return
}

// Both halves are used by one op that is given all of the buffer.
// CHECK-LABEL: func.func @both(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
func.func @both(%x: memref<64xf32>, %y: memref<32xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %t = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  lifetime.start %t : memref<32xf32, strided<[1], offset: 32>>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %s, %y : memref<32xf32, strided<[1]>> to memref<32xf32>
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %y, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %y : memref<32xf32> to memref<32xf32>
  memref.copy %t, %y : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  lifetime.end %t : memref<32xf32, strided<[1], offset: 32>>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// What belongs to no life is live as long as the buffer is: here the last quarter.
// CHECK-LABEL: func.func @rest(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
func.func @rest(%x: memref<32xf32>, %i: index, %v: f32) -> f32 {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %t = memref.subview %a[48] [16] [1] : memref<64xf32> to memref<16xf32, strided<[1], offset: 48>>
  memref.store %v, %t[%i] : memref<16xf32, strided<[1], offset: 48>>
  lifetime.start %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %s : memref<32xf32> to memref<32xf32, strided<[1]>>
  memref.copy %s, %x : memref<32xf32, strided<[1]>> to memref<32xf32>
  lifetime.end %s : memref<32xf32, strided<[1]>>
  memref.copy %x, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  %w = memref.load %t[%i] : memref<16xf32, strided<[1], offset: 48>>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return %w : f32
}

// A cast is all of the buffer.
// CHECK-LABEL: func.func @casts(
// CHECK: memref.alloc() {{.*}} : memref<128xi8>
func.func @casts(%x: memref<32xf32>, %i: index, %v: f32) {
  %a = memref.alloc() : memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  %c = memref.cast %a : memref<32xf32> to memref<?xf32>
  lifetime.start %c : memref<?xf32>
  memref.store %v, %c[%i] : memref<?xf32>
  memref.copy %a, %x : memref<32xf32> to memref<32xf32>
  lifetime.end %c : memref<?xf32>
  memref.copy %x, %b : memref<32xf32> to memref<32xf32>
  memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  lifetime.start %c : memref<?xf32>
  memref.store %v, %c[%i] : memref<?xf32>
  memref.copy %c, %x : memref<?xf32> to memref<32xf32>
  lifetime.end %c : memref<?xf32>
  memref.dealloc %a : memref<32xf32>
  memref.dealloc %b : memref<32xf32>
  return
}

// Iterations that run at once: one is in the life when another is behind it.
// CHECK-LABEL: func.func @inner_loop(
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
func.func @inner_loop(%x: memref<32xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<32xf32>
  %s = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %t = memref.subview %a[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  lifetime.start %t : memref<32xf32, strided<[1], offset: 32>>
  memref.copy %x, %t : memref<32xf32> to memref<32xf32, strided<[1], offset: 32>>
  scf.for %i = %c0 to %n step %c1 {
    lifetime.start %s : memref<32xf32, strided<[1]>>
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      memref.store %v, %s[%j] : memref<32xf32, strided<[1]>>
    }
    memref.copy %s, %x : memref<32xf32, strided<[1]>> to memref<32xf32>
    lifetime.end %s : memref<32xf32, strided<[1]>>
    memref.copy %x, %b : memref<32xf32> to memref<32xf32>
    memref.copy %b, %x : memref<32xf32> to memref<32xf32>
  }
  memref.copy %t, %x : memref<32xf32, strided<[1], offset: 32>> to memref<32xf32>
  lifetime.end %t : memref<32xf32, strided<[1], offset: 32>>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<32xf32>
  return
}
