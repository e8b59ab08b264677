// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan=samples=64 --split-input-file --verify-diagnostics -o /dev/null
// RUN: not stowage-opt %s --check-arena-plan --split-input-file -o /dev/null 2>&1 | FileCheck %s
// RUN: stowage-opt %s --check-arena-plan=dynamic-offsets=ignore --split-input-file -o /dev/null

// One of two arenas, by a size.

// Right for all sizes: %a and %b are never in the same arena.
func.func @swapped(%n: index, %x: i8) {
  %zero = arith.constant 0 : index
  %hundred = arith.constant 100 : index
  %few = arith.cmpi ult, %n, %hundred : index
  %one = memref.alloc(%hundred) : memref<?xi8>
  %other = memref.alloc(%hundred) : memref<?xi8>
  %first = arith.select %few, %one, %other : memref<?xi8>
  %second = arith.select %few, %other, %one : memref<?xi8>
  // CHECK: error: a view of one of several arenas, of which it is not known which; samples=64 checks at concrete sizes
  %a = memref.view %first[%zero][] : memref<?xi8> to memref<100xi8>
  %b = memref.view %second[%zero][] : memref<?xi8> to memref<100xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<100xi8>)
  linalg.fill ins(%x : i8) outs(%b : memref<100xi8>)
  call @read(%a, %b) : (memref<100xi8>, memref<100xi8>) -> ()
  memref.dealloc %one : memref<?xi8>
  memref.dealloc %other : memref<?xi8>
  return
}
func.func private @read(memref<100xi8>, memref<100xi8>)

// -----

// The same arena where there are few.
func.func @together(%n: index, %x: i8) -> i8 {
  %zero = arith.constant 0 : index
  %hundred = arith.constant 100 : index
  %few = arith.cmpi ult, %n, %hundred : index
  %one = memref.alloc(%hundred) : memref<?xi8>
  %other = memref.alloc(%hundred) : memref<?xi8>
  %first = arith.select %few, %one, %other : memref<?xi8>
  %a = memref.view %first[%zero][] : memref<?xi8> to memref<100xi8> // expected-note {{this is the other view}}
  %b = memref.view %one[%zero][] : memref<?xi8> to memref<100xi8> // expected-note {{this is the view that is written}}
  linalg.fill ins(%x : i8) outs(%a : memref<100xi8>) // expected-note {{it is written here}}
  // expected-error @below {{overwrites bytes 0 to 100 of an arena}}
  linalg.fill ins(%x : i8) outs(%b : memref<100xi8>)
  %r = memref.load %a[%zero] : memref<100xi8> // expected-note {{and read here}}
  memref.dealloc %one : memref<?xi8>
  memref.dealloc %other : memref<?xi8>
  return %r : i8
}

// -----

// Which one it is in an iteration no number tells.
func.func @unknown(%flags: memref<?xi1>, %x: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %hundred = arith.constant 100 : index
  %n = memref.dim %flags, %zero : memref<?xi1>
  %first = memref.alloc(%hundred) : memref<?xi8>
  %other = memref.alloc(%hundred) : memref<?xi8>
  scf.for %i = %zero to %n step %one {
    %flag = memref.load %flags[%i] : memref<?xi1>
    // expected-note @below {{it is selected here}}
    %either = arith.select %flag, %first, %other : memref<?xi8>
    // expected-error @below {{a view of one of several arenas, of which it is not known which}}
    %a = memref.view %either[%zero][] : memref<?xi8> to memref<100xi8>
    linalg.fill ins(%x : i8) outs(%a : memref<100xi8>)
  }
  memref.dealloc %first : memref<?xi8>
  memref.dealloc %other : memref<?xi8>
  return
}
