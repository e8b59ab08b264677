// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: stowage-opt %s --check-arena-plan --verify-diagnostics -o /dev/null
// RUN: stowage-opt %s --check-arena-plan=samples=64 -o /dev/null

// Where a size is not known, the error names the option that takes numbers for it.
func.func @one_after_the_other(%n: index, %x: i8) -> i8 {
  %zero = arith.constant 0 : index
  %size = arith.maxsi %n, %zero : index
  %bytes = arith.addi %size, %size : index
  %arena = memref.alloc(%bytes) : memref<?xi8>
  // expected-note @below {{this is the other view, of a size known at run time only}}
  %a = memref.view %arena[%zero][%size] : memref<?xi8> to memref<?xi8>
  // expected-note @below {{this is the view that is written, at an offset and of a size known at run time only}}
  %b = memref.view %arena[%size][%size] : memref<?xi8> to memref<?xi8>
  linalg.fill ins(%x : i8) outs(%a : memref<?xi8>) // expected-note {{it is written here}}
  // expected-error @below {{not decided for the views below (samples=64 tries numbers for arguments and loads, which shows faults but proves nothing; or bound the offset by constants): perhaps this overwrites}}
  linalg.fill ins(%x : i8) outs(%b : memref<?xi8>)
  %r = memref.load %a[%zero] : memref<?xi8> // expected-note {{and read here}}
  memref.dealloc %arena : memref<?xi8>
  return %r : i8
}
