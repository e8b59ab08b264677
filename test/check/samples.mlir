// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan=samples=64 --split-input-file --verify-diagnostics -o /dev/null
// RUN: not stowage-opt %s --check-arena-plan=samples=64 --split-input-file -o /dev/null 2>&1 | FileCheck %s

// Sizes and offsets that are known at run time only, at concrete sizes.

// Right for all sizes.
func.func @stacked(%n: index, %m: index, %x: i8) {
  %zero = arith.constant 0 : index
  %n0 = arith.maxsi %n, %zero : index
  %m0 = arith.maxsi %m, %zero : index
  %bytes = arith.addi %n0, %m0 : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
  %b = memref.view %arena[%n0][%m] : memref<?xi8> to memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  call @read(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
  memref.dealloc %arena : memref<?xi8>
  return
}
func.func private @read(memref<?xi8>, memref<?xi8>)

// -----

// 64 bytes too low.
func.func @shifted(%from: memref<?xf32>, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %n = memref.dim %from, %zero : memref<?xf32>
  %used = affine.apply affine_map<()[s0] -> ((s0 * 4) ceildiv 64 * 64)>()[%n]
  %low = affine.apply affine_map<()[s0] -> ((s0 * 4) ceildiv 64 * 64 - 64)>()[%n]
  %offset = arith.maxsi %low, %zero : index
  %bytes = arith.addi %used, %used : index
  %arena = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xf32>
  // expected-note @below {{this is the view that is written}}
  %b = memref.view %arena[%offset][%n] : memref<?xi8> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>) // expected-note {{it is written here}}
  // CHECK: overwrites bytes 0 to 4 of an arena, which hold what another view has yet to read, with dimension 0 of %arg0 = 1
  // expected-error @below {{overwrites bytes 0 to 4 of an arena}}
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  %r = memref.load %a[%zero] : memref<?xf32> // expected-note {{and read here}}
  memref.dealloc %arena : memref<?xi8>
  return %r : f32
}

// -----

// One byte short where the size is odd and not small.
func.func @short(%n: index, %x: i8) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %most = arith.constant 1000 : index
  %half = arith.divui %n, %two : index
  %even = arith.muli %half, %two : index
  %small = arith.cmpi ult, %n, %most : index
  %bytes = arith.select %small, %n, %even : index
  %arena = memref.alloc(%bytes) : memref<?xi8> // expected-note {{it is cut from this}}
  // CHECK: bytes 0 to [[ODD:[0-9]+]] of {{[0-9]+}}: the view leaves its arena, with %arg0 = [[ODD]]{{$}}
  // expected-error @below {{the view leaves its arena, with %arg0 = }}
  %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  %r = memref.load %a[%zero] : memref<?xi8>
  memref.dealloc %arena : memref<?xi8>
  return %r : i8
}

// -----

// Overlap where n is more than m.
func.func @crossed(%n: index, %m: index, %x: i8) -> i8 {
  %zero = arith.constant 0 : index
  %bytes = arith.addi %n, %m : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  // expected-note @below {{this is the other view}}
  %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
  // expected-note @below {{this is the view that is written}}
  %b = memref.view %arena[%m][%n] : memref<?xi8> to memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>) // expected-note {{it is written here}}
  // expected-error @below {{overwrites bytes}}
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  %r = memref.load %a[%zero] : memref<?xi8> // expected-note {{and read here}}
  memref.dealloc %arena : memref<?xi8>
  return %r : i8
}

// -----

// Sizes of an iteration, and an arena of the iteration. The sum is right, the largest is not.
func.func @iteration(%sizes: memref<8xindex>, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    %n = memref.load %sizes[%i] : memref<8xindex>
    %bytes = arith.addi %n, %i : index
    %arena = memref.alloc(%bytes) : memref<?xi8>
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    %b = memref.view %arena[%n][%i] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    func.call @read(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
    memref.dealloc %arena : memref<?xi8>
  }
  scf.for %i = %zero to %eight step %one {
    %n = memref.load %sizes[%i] : memref<8xindex>
    %bytes = arith.maxsi %n, %i : index
    %arena = memref.alloc(%bytes) : memref<?xi8> // expected-note {{it is cut from this}}
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    // expected-error @below {{the view leaves its arena}}
    %b = memref.view %arena[%n][%i] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    func.call @read(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
    memref.dealloc %arena : memref<?xi8>
  }
  return
}
func.func private @read(memref<?xi8>, memref<?xi8>)

// -----

// A view that does not run where its size is below zero.
func.func @not_run(%n: index, %x: i8) {
  %zero = arith.constant 0 : index
  %five = arith.constant 5 : index
  %less = arith.subi %n, %five : index
  %runs = arith.cmpi sge, %n, %five : index
  %arena = memref.alloc(%n) : memref<?xi8>
  scf.if %runs {
    %a = memref.view %arena[%five][%less] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// Sizes through casts, subviews and shapes.
func.func @through(%from: memref<?x?xf32>, %i: i64, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.index_cast %i : i64 to index
  %part = memref.subview %from[0, 0] [%n, 4] [1, 1] : memref<?x?xf32> to memref<?x4xf32, strided<[?, 1]>>
  %rows = memref.dim %part, %zero : memref<?x4xf32, strided<[?, 1]>>
  %flat = memref.collapse_shape %from [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %all = memref.dim %flat, %zero : memref<?xf32>
  %d0 = memref.dim %from, %zero : memref<?x?xf32>
  %d1 = memref.dim %from, %one : memref<?x?xf32>
  %four = arith.constant 4 : index
  %bytes0 = arith.muli %rows, %four : index
  %elements = arith.muli %d0, %d1 : index
  %bytes1 = arith.muli %elements, %four : index
  %bytes = arith.addi %bytes0, %bytes1 : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xf32>
  %b = memref.view %arena[%bytes0][%all] : memref<?xi8> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  call @read(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
  memref.dealloc %arena : memref<?xi8>
  return
}
func.func private @read(memref<?xf32>, memref<?xf32>)

// -----

// Right for what is stated: n is one size, of at most 100, and m is at least 3.
func.func @stated(%x: memref<?xf32> {stowage.dims = [{name = "n", max = 100}]},
                  %y: memref<?xf32> {stowage.dims = [{name = "n"}]},
                  %m: index {stowage.dims = [{min = 3}]}, %v: f32) -> f32 {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %n = memref.dim %x, %zero : memref<?xf32>
  %n2 = memref.dim %y, %zero : memref<?xf32>
  %size = arith.muli %n, %four : index
  %bound = memref.alloc() : memref<400xi8>
  %a = memref.view %bound[%zero][%n2] : memref<400xi8> to memref<?xf32>
  %arena = memref.alloc(%size) : memref<?xi8>
  %b = memref.view %arena[%zero][%n2] : memref<?xi8> to memref<?xf32>
  %bytes = arith.addi %m, %three : index
  %small = memref.alloc(%bytes) : memref<?xi8>
  %c = memref.view %small[%zero][] : memref<?xi8> to memref<6xi8>
  linalg.fill ins(%v : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%v : f32) outs(%b : memref<?xf32>)
  %r = memref.load %a[%zero] : memref<?xf32>
  memref.dealloc %arena : memref<?xi8>
  return %r : f32
}

// -----

// Where a branch is not taken, and a loop has no iteration, their views are not there. Of a loop the last iteration's size counts.
func.func @guarded(%n: index, %bit: i1, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n0 = arith.maxsi %n, %zero : index
  %taken = arith.index_castui %bit : i1 to index
  %branch = arith.muli %n0, %taken : index
  %before = arith.addi %n0, %one : index
  %bytes = arith.maxsi %branch, %n0 : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.if %bit {
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  scf.for %i = %zero to %before step %one {
    %b = memref.view %arena[%zero][%i] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// The other branch is counted.
func.func @wrong_branch(%n: index, %bit: i1, %x: i8) {
  %zero = arith.constant 0 : index
  %n0 = arith.maxsi %n, %zero : index
  %taken = arith.index_castui %bit : i1 to index
  %bytes = arith.muli %n0, %taken : index
  // expected-note @below {{it is cut from this}}
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.if %bit {
  } else {
    // expected-error-re @below {{bytes 0 to {{.*}}: the view leaves its arena, with}}
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// The last iteration has one byte more.
func.func @short_loop(%n: index, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n0 = arith.maxsi %n, %zero : index
  // expected-note @below {{it is cut from this}}
  %arena = memref.alloc(%n0) : memref<?xi8>
  %after = arith.addi %n0, %one : index
  %end = arith.addi %after, %one : index
  scf.for %i = %zero to %end step %one {
    // expected-error-re @below {{bytes 0 to {{.*}}: the view leaves its arena, with}}
    %b = memref.view %arena[%zero][%i] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// The inner loop has no iteration in the outer one's first, so that what it holds needs no bytes.
func.func @triangle(%n: index, %k: index, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k0 = arith.maxsi %k, %zero : index
  %inner = arith.cmpi sgt, %n, %one : index
  %bytes = arith.select %inner, %k0, %zero : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %i step %one {
      %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
      linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    }
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// Sizes fall: the first iteration has the largest.
func.func @falling(%n: index, %p: memref<?xi8>, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n0 = arith.maxsi %n, %zero : index
  %bytes = arith.addi %n0, %one : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.for %i = %zero to %n step %one {
    %size = arith.subi %n, %i : index
    // expected-note @below {{this is the other view}}
    %a = memref.view %arena[%zero][%size] : memref<?xi8> to memref<?xi8>
    // expected-note @below {{this is the view that is written}}
    %b = memref.view %arena[%one][%one] : memref<?xi8> to memref<?xi8>
    // expected-note @below {{it is written here}}
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    // expected-error-re @below {{overwrites bytes 1 to 2 of an arena, which hold what another view has yet to read, with}}
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    %last = arith.subi %size, %one : index
    // expected-note @below {{and read here}}
    %y = memref.load %a[%last] : memref<?xi8>
    memref.store %y, %p[%zero] : memref<?xi8>
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// Only the first iteration takes the branch.
func.func @first(%k: index, %p: memref<?xi8>, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %bytes = arith.addi %k, %k : index
    %arena = memref.alloc(%bytes) : memref<?xi8>
    %first = arith.cmpi eq, %i, %zero : index
    scf.if %first {
      // expected-note @below {{this is the other view}}
      %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
      // expected-note @below {{this is the view that is written}}
      %b = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
      // expected-note @below {{it is written here}}
      linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
      // expected-error-re @below {{overwrites bytes 0 to {{.*}} of an arena, which hold what another view has yet to read, with}}
      linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
      // expected-note @below {{and read here}}
      memref.copy %a, %p : memref<?xi8> to memref<?xi8>
      memref.copy %b, %p : memref<?xi8> to memref<?xi8>
    }
    memref.dealloc %arena : memref<?xi8>
  }
  return
}

// -----

// A dimension of %x sizes a view: that makes %x no arena.
func.func @sized_by_carried(%n: index, %m: index, %i: i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %bytes = arith.muli %n, %eight : index
  %first = memref.alloc(%bytes) : memref<?xi8>
  %words = memref.view %first[%zero][%n] : memref<?xi8> to memref<?xi64>
  linalg.fill ins(%i : i64) outs(%words : memref<?xi64>)
  %last = scf.for %k = %zero to %m step %one iter_args(%x = %first) -> (memref<?xi8>) {
    %d = memref.dim %x, %zero : memref<?xi8>
    %arena = memref.alloc(%d) : memref<?xi8>
    %copy = memref.view %arena[%zero][%d] : memref<?xi8> to memref<?xi8>
    memref.copy %x, %copy : memref<?xi8> to memref<?xi8>
    %next = memref.alloc(%d) : memref<?xi8>
    memref.copy %copy, %next : memref<?xi8> to memref<?xi8>
    memref.dealloc %arena : memref<?xi8>
    scf.yield %next : memref<?xi8>
  }
  return
}

// -----

// The last of 3, 8, ..., 58: the arena is one byte short of it.
func.func @affine(%x: i8) {
  %zero = arith.constant 0 : index
  %bytes = arith.constant 57 : index
  // expected-note @below {{it is cut from this}}
  %arena = memref.alloc(%bytes) : memref<?xi8>
  affine.for %k = 3 to 60 step 5 {
    // expected-error @below {{bytes 0 to 58 of 57: the view leaves its arena}}
    %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

func.func @affine_fits(%x: i8, %from: index, %to: index) {
  %zero = arith.constant 0 : index
  %bytes = arith.constant 58 : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  affine.for %k = 3 to 60 step 5 {
    %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  affine.for %k = max affine_map<(d0) -> (d0, 2)>(%from) to min affine_map<(d0) -> (d0, 20)>(%to) {
    %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// No element where one size is 0, whatever the other is, which is known in the loop only.
func.func @no_element(%n: index, %from: memref<?xi8>, %x: i8) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %bytes = arith.maxsi %n, %one : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  %a = memref.view %arena[%zero][] : memref<?xi8> to memref<1xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<1xi8>)
  %r = scf.for %i = %zero to %one step %one iter_args(%m = %from) -> memref<?xi8> {
    %size = memref.dim %m, %zero : memref<?xi8>
    %b = memref.view %arena[%zero][%i, %size] : memref<?xi8> to memref<?x?xi8>
    linalg.fill ins(%x : i8) outs(%b : memref<?x?xi8>)
    %next = memref.alloc(%i) : memref<?xi8>
    scf.yield %next : memref<?xi8>
  }
  %k = memref.load %a[%zero] : memref<1xi8>
  memref.dealloc %arena : memref<?xi8>
  return %k : i8
}

// -----

// What a switch, or the first turn of a loop with a condition, does not come to is not there.
func.func @cases(%n: index, %k: index, %end: index, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %n0 = arith.maxsi %n, %zero : index
  %asked = arith.cmpi eq, %k, %seven : index
  %runs = arith.index_castui %asked : i1 to index
  %bytes = arith.muli %n0, %runs : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.index_switch %k
  case 7 {
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    scf.yield
  }
  default {
  }
  memref.dealloc %arena : memref<?xi8>
  %first = arith.cmpi slt, %one, %end : index
  %goes_on = arith.index_castui %first : i1 to index
  %turns = arith.muli %n0, %goes_on : index
  %other = memref.alloc(%turns) : memref<?xi8>
  scf.while (%i = %one) : (index) -> index {
    %more = arith.cmpi slt, %i, %end : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %b = memref.view %other[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    %next = arith.addi %j, %one : index
    scf.yield %next : index
  }
  memref.dealloc %other : memref<?xi8>
  return
}

// -----

// Another case is counted.
func.func @wrong_case(%n: index, %k: index, %x: i8) {
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : index
  %n0 = arith.maxsi %n, %zero : index
  %asked = arith.cmpi eq, %k, %seven : index
  %runs = arith.index_castui %asked : i1 to index
  %bytes = arith.muli %n0, %runs : index
  // expected-note @below {{it is cut from this}}
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.index_switch %k
  case 3000000 {
    // expected-error-re @below {{bytes 0 to {{.*}}: the view leaves its arena, with}}
    %a = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    scf.yield
  }
  default {
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// What the first turn is given is another number than that which is asked for.
func.func @wrong_turn(%n: index, %end: index, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n0 = arith.maxsi %n, %zero : index
  %first = arith.cmpi slt, %one, %end : index
  %goes_on = arith.index_castui %first : i1 to index
  %bytes = arith.muli %n0, %goes_on : index
  // expected-note @below {{it is cut from this}}
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.while (%i = %zero) : (index) -> index {
    %more = arith.cmpi slt, %i, %end : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    // expected-error-re @below {{bytes 0 to {{.*}}: the view leaves its arena, with}}
    %b = memref.view %arena[%zero][%n] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    %next = arith.addi %j, %one : index
    scf.yield %next : index
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// A turn that is not the first is given some number, and what is computed from that has one, too: here %m, whatever %i is.
func.func @carried(%n: index, %x: i8, %out: memref<?xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %m = arith.minui %n, %four : index
  %bytes = arith.addi %m, %m : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.while (%i = %zero) : (index) -> index {
    %least = arith.minui %i, %four : index
    %end = arith.addi %least, %m : index
    %size = arith.subi %end, %least : index
    %a = memref.view %arena[%zero][%size] : memref<?xi8> to memref<?xi8>
    %b = memref.view %arena[%m][%size] : memref<?xi8> to memref<?xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    memref.copy %a, %out : memref<?xi8> to memref<?xi8>
    memref.copy %b, %out : memref<?xi8> to memref<?xi8>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %next = arith.addi %j, %one : index
    scf.yield %next : index
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// The same, where the second view begins one byte too early.
func.func @carried_wrong(%n: index, %x: i8, %out: memref<?xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %m = arith.minui %n, %four : index
  %early = arith.subi %m, %one : index
  %begin = arith.maxsi %early, %zero : index
  %bytes = arith.addi %m, %m : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  scf.while (%i = %zero) : (index) -> index {
    %least = arith.minui %i, %four : index
    %end = arith.addi %least, %m : index
    %size = arith.subi %end, %least : index
    // expected-note @below {{this is the other view}}
    %a = memref.view %arena[%zero][%size] : memref<?xi8> to memref<?xi8>
    // expected-note @below {{this is the view that is written}}
    %b = memref.view %arena[%begin][%size] : memref<?xi8> to memref<?xi8>
    // expected-note @below {{it is written here}}
    linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
    // expected-error-re @below {{overwrites bytes {{.*}} of an arena, which hold what another view has yet to read, with}}
    linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
    // expected-note @below {{and read here}}
    memref.copy %a, %out : memref<?xi8> to memref<?xi8>
    memref.copy %b, %out : memref<?xi8> to memref<?xi8>
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%j: index):
    %next = arith.addi %j, %one : index
    scf.yield %next : index
  }
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// What is stated to be another number stays that, whatever a switch asks.
func.func @named(%n: index {stowage.dims = [{name = "n"}]}, %k: index {stowage.dims = [{name = "n"}]}, %x: i8) {
  %zero = arith.constant 0 : index
  %arena = memref.alloc(%n) : memref<?xi8>
  scf.index_switch %k
  case 7000 {
    scf.yield
  }
  default {
  }
  %a = memref.view %arena[%zero][%k] : memref<?xi8> to memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>)
  memref.dealloc %arena : memref<?xi8>
  return
}

// -----

// What is asserted holds in samples: the first is right for up to 100, the second one is 4 bytes short at 101.
func.func @asserted(%n: index, %m: index, %x: f32) {
  %zero = arith.constant 0 : index
  %most = arith.constant 100 : index
  %small = arith.cmpi uge, %most, %n : index
  cf.assert %small, "too large"
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "sizes differ"
  %arena = memref.alloc() : memref<400xi8>
  %a = memref.view %arena[%zero][%m] : memref<400xi8> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %arena : memref<400xi8>
  return
}
func.func @above(%n: index, %x: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 101 : index
  %is = arith.cmpi eq, %n, %one : index
  cf.assert %is, "not 101"
  %arena = memref.alloc() : memref<400xi8> // expected-note {{it is cut from this}}
  // expected-error @below {{bytes 0 to 404 of 400: the view leaves its arena, with %arg0 = 101}}
  %a = memref.view %arena[%zero][%n] : memref<400xi8> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  memref.dealloc %arena : memref<400xi8>
  return
}

// A loop of which no number tells how often it runs, where %n is 0: its view has no element anyhow.
func.func @empty(%d: index, %n: index, %x: f32) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %bytes = arith.constant 64 : index
  %count = arith.ceildivsi %d, %n : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  %a = memref.view %arena[%zero][] : memref<?xi8> to memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  scf.for %i = %zero to %count step %one {
    %none = arith.minui %i, %zero : index
    %b = memref.view %arena[%zero][%none] : memref<?xi8> to memref<?xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  }
  %r = memref.load %a[%zero] : memref<16xf32>
  memref.dealloc %arena : memref<?xi8>
  return %r : f32
}

// Assertions that contradict each other: no run gets behind them. Those that leave numbers hold.
func.func @contradicting(%n: index, %m: index, %x: f32) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %is = arith.cmpi eq, %n, %three : index
  cf.assert %is, "not 3"
  %also = arith.cmpi eq, %n, %four : index
  cf.assert %also, "not 4"
  %other = arith.cmpi eq, %m, %four : index
  cf.assert %other, "not 4"
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "sizes differ"
  %none = arith.cmpi slt, %m, %zero : index
  cf.assert %none, "not negative"
  %arena = memref.alloc() : memref<28xi8>
  %behind = arith.constant 12 : index
  %a = memref.view %arena[%zero][%n] : memref<28xi8> to memref<?xf32>
  %b = memref.view %arena[%behind][%m] : memref<28xi8> to memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<?xf32>)
  memref.dealloc %arena : memref<28xi8>
  return
}
