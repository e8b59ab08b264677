// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: %variants %s | FileCheck %s

// Views that drop all dimensions: of a part, collapsed, cast again, moved by an offset that is not known, written,
// copied from and to.

// CHECK: {{^}}10426{{$}}
// CHECK-NEXT: {{^}}10466{{$}}
// CHECK-NEXT: {{^}}22432{{$}}
// CHECK-NEXT: {{^}}496{{$}}
// CHECK-NEXT: {{^}}777728{{$}}
// CHECK-NEXT: {{^}}768404{{$}}
// CHECK-NEXT: {{^}}768344{{$}}
// CHECK-NEXT: {{^}}768340{{$}}
#s = affine_map<(d0) -> ()>
#i = affine_map<(d0) -> (d0)>
#e = affine_map<() -> ()>
func.func private @sub_rank_reduce(%in: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  linalg.copy ins(%in : memref<4xi32>) outs(%a : memref<4xi32>)
  %c = memref.subview %a[2] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: 2>>
  linalg.generic {indexing_maps = [#s, #i], iterator_types = ["parallel"]} ins(%c : memref<i32, strided<[], offset: 2>>) outs(%out : memref<4xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  return
}
func.func private @rank0_out(%in: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  linalg.copy ins(%in : memref<4xi32>) outs(%a : memref<4xi32>)
  %c = memref.subview %a[2] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: 2>>
  linalg.generic {indexing_maps = [#i, #s], iterator_types = ["reduction"]} ins(%in : memref<4xi32>) outs(%c : memref<i32, strided<[], offset: 2>>) {
  ^bb0(%x: i32, %o: i32):
    %y = arith.addi %x, %o : i32
    linalg.yield %y : i32
  }
  linalg.copy ins(%a : memref<4xi32>) outs(%b : memref<4xi32>)
  linalg.copy ins(%b : memref<4xi32>) outs(%out : memref<4xi32>)
  return
}
func.func private @rank0_copy(%in: memref<4x4xi32>, %out: memref<4x4xi32>) {
  %a = memref.alloc() : memref<4x4xi32>
  %z = memref.alloc() : memref<i32>
  linalg.copy ins(%in : memref<4x4xi32>) outs(%a : memref<4x4xi32>)
  %c = memref.subview %a[2, 1] [1, 1] [1, 1] : memref<4x4xi32> to memref<i32, strided<[], offset: 9>>
  memref.copy %c, %z : memref<i32, strided<[], offset: 9>> to memref<i32>
  %d = memref.subview %a[3, 1] [1, 1] [1, 1] : memref<4x4xi32> to memref<i32, strided<[], offset: 13>>
  memref.copy %z, %d : memref<i32> to memref<i32, strided<[], offset: 13>>
  linalg.copy ins(%a : memref<4x4xi32>) outs(%out : memref<4x4xi32>)
  return
}
func.func private @expand(%in: memref<i32>, %out: memref<1x1xi32>) {
  %a = memref.alloc() : memref<i32>
  linalg.copy ins(%in : memref<i32>) outs(%a : memref<i32>)
  %e = memref.expand_shape %a [] output_shape [1, 1] : memref<i32> into memref<1x1xi32>
  %b = memref.alloc() : memref<1x1xi32>
  linalg.copy ins(%e : memref<1x1xi32>) outs(%b : memref<1x1xi32>)
  %f = memref.collapse_shape %b [] : memref<1x1xi32> into memref<i32>
  linalg.copy ins(%f : memref<i32>) outs(%a : memref<i32>)
  linalg.copy ins(%e : memref<1x1xi32>) outs(%out : memref<1x1xi32>)
  return
}
func.func private @dyn(%in: memref<?xi32>, %out: memref<?xi32>, %i: index, %n: index) {
  %a = memref.alloc(%n) : memref<?xi32>
  linalg.copy ins(%in : memref<?xi32>) outs(%a : memref<?xi32>)
  %c = memref.subview %a[%i] [1] [1] : memref<?xi32> to memref<i32, strided<[], offset: ?>>
  %r = memref.reinterpret_cast %c to offset: [%i], sizes: [], strides: [] : memref<i32, strided<[], offset: ?>> to memref<i32, strided<[], offset: ?>>
  linalg.generic {indexing_maps = [#s, #i], iterator_types = ["parallel"]} ins(%r : memref<i32, strided<[], offset: ?>>) outs(%out : memref<?xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  return
}
func.func private @many(%in: memref<8x4xi32>, %out: memref<8x4xi32>) {
  %a = memref.alloc() : memref<8x4xi32>
  %b = memref.alloc() : memref<8x4xi32>
  linalg.copy ins(%in : memref<8x4xi32>) outs(%a : memref<8x4xi32>)
  linalg.add ins(%a, %in : memref<8x4xi32>, memref<8x4xi32>) outs(%b : memref<8x4xi32>)
  %v = memref.subview %b[7, 0] [1, 1] [1, 1] : memref<8x4xi32> to memref<1x1xi32, strided<[4, 1], offset: 28>>
  %c = memref.collapse_shape %v [] : memref<1x1xi32, strided<[4, 1], offset: 28>> into memref<i32, strided<[], offset: 28>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c : memref<i32, strided<[], offset: 28>>) outs(%out : memref<8x4xi32>) {
  ^bb0(%x: i32, %o: i32):
    linalg.yield %x : i32
  }
  return
}
func.func private @fill0(%out: memref<4xi32>, %v: i32) {
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%v : i32) outs(%a : memref<4xi32>)
  %c = memref.subview %a[2] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: 2>>
  %w = arith.addi %v, %v : i32
  linalg.fill ins(%w : i32) outs(%c : memref<i32, strided<[], offset: 2>>)
  linalg.generic {indexing_maps = [#e, #e], iterator_types = []} ins(%c : memref<i32, strided<[], offset: 2>>) outs(%c : memref<i32, strided<[], offset: 2>>) {
  ^bb0(%x: i32, %o: i32):
    %y = arith.addi %x, %o : i32
    linalg.yield %y : i32
  }
  %p = memref.transpose %c () -> () : memref<i32, strided<[], offset: 2>> to memref<i32, strided<[], offset: 2>>
  linalg.map ins(%p : memref<i32, strided<[], offset: 2>>) outs(%c : memref<i32, strided<[], offset: 2>>) (%x : i32, %o: i32) { linalg.yield %x : i32 }
  linalg.copy ins(%a : memref<4xi32>) outs(%out : memref<4xi32>)
  return
}
func.func private @aff(%in: memref<4xi32>, %out: memref<4xi32>) {
  %a = memref.alloc() : memref<i32>
  %b = memref.alloc() : memref<4xi32>
  affine.for %i = 0 to 4 {
    %x = affine.load %in[%i] : memref<4xi32>
    affine.store %x, %a[] : memref<i32>
    %y = affine.load %a[] : memref<i32>
    affine.store %y, %b[%i] : memref<4xi32>
  }
  %c = memref.subview %b[2] [1] [1] : memref<4xi32> to memref<i32, strided<[], offset: 2>>
  affine.for %i = 0 to 4 {
    %x = affine.load %c[] : memref<i32, strided<[], offset: 2>>
    affine.store %x, %out[%i] : memref<4xi32>
  }
  return
}
func.func private @conc(%in: memref<4xi32>, %out: memref<2xi32>) {
  %a = memref.alloc() : memref<i32>
  %b = memref.alloc() : memref<i32>
  %d = memref.alloc() : memref<2xi32>
  %i0 = memref.subview %in[0] [1] [1] : memref<4xi32> to memref<i32, strided<[]>>
  linalg.copy ins(%i0 : memref<i32, strided<[]>>) outs(%a : memref<i32>)
  linalg.copy ins(%a : memref<i32>) outs(%b : memref<i32>)
  %d0 = memref.subview %d[0] [1] [1] : memref<2xi32> to memref<i32, strided<[]>>
  %d1 = memref.subview %d[1] [1] [1] : memref<2xi32> to memref<i32, strided<[], offset: 1>>
  memref.copy %a, %d0 : memref<i32> to memref<i32, strided<[]>>
  memref.copy %b, %d1 : memref<i32> to memref<i32, strided<[], offset: 1>>
  linalg.copy ins(%d : memref<2xi32>) outs(%out : memref<2xi32>)
  return
}
// A sum in which each cell has another weight.
func.func private @show(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
    %v = memref.load %x[%i] : memref<?xi32>
    %k = arith.index_cast %i : index to i32
    %w = arith.muli %v, %k : i32
    %t = arith.addi %s, %w : i32
    scf.yield %t : i32
  }
  vector.print %sum : i32
  return
}
func.func @main() attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %v = arith.constant 7 : i32
  %in = memref.alloca() : memref<32xi32>
  %out = memref.alloca() : memref<32xi32>
  scf.for %i = %c0 to %c32 step %c1 {
    %k = arith.index_cast %i : index to i32
    %q = arith.muli %k, %k : i32
    memref.store %q, %in[%i] : memref<32xi32>
    memref.store %k, %out[%i] : memref<32xi32>
  }
  %i4 = memref.reinterpret_cast %in to offset: [0], sizes: [4], strides: [1] : memref<32xi32> to memref<4xi32>
  %o4 = memref.reinterpret_cast %out to offset: [0], sizes: [4], strides: [1] : memref<32xi32> to memref<4xi32>
  %i44 = memref.reinterpret_cast %in to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<32xi32> to memref<4x4xi32>
  %o44 = memref.reinterpret_cast %out to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<32xi32> to memref<4x4xi32>
  %i84 = memref.reinterpret_cast %in to offset: [0], sizes: [8, 4], strides: [4, 1] : memref<32xi32> to memref<8x4xi32>
  %o84 = memref.reinterpret_cast %out to offset: [0], sizes: [8, 4], strides: [4, 1] : memref<32xi32> to memref<8x4xi32>
  %o2 = memref.reinterpret_cast %out to offset: [0], sizes: [2], strides: [1] : memref<32xi32> to memref<2xi32>
  %o = memref.cast %out : memref<32xi32> to memref<?xi32>
  %ii = memref.cast %in : memref<32xi32> to memref<?xi32>
  call @sub_rank_reduce(%i4, %o4) : (memref<4xi32>, memref<4xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @rank0_out(%i4, %o4) : (memref<4xi32>, memref<4xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @rank0_copy(%i44, %o44) : (memref<4x4xi32>, memref<4x4xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @dyn(%ii, %o, %c1, %c32) : (memref<?xi32>, memref<?xi32>, index, index) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @many(%i84, %o84) : (memref<8x4xi32>, memref<8x4xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @fill0(%o4, %v) : (memref<4xi32>, i32) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @aff(%i4, %o4) : (memref<4xi32>, memref<4xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  call @conc(%i4, %o2) : (memref<4xi32>, memref<2xi32>) -> ()
  call @show(%o) : (memref<?xi32>) -> ()
  return
}
