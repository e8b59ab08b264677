// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: rm -rf %t && mkdir %t
// RUN: stowage-opt %s --merge-alloc="arena=argument public emit-header=%t/names.h" -o %t/names.mlir
// RUN: FileCheck %s < %t/names.h
// RUN: printf '#include "names.h"\n' > %t/names.c && cp %t/names.c %t/names.cpp
// RUN: cc -std=c11 -Wall -Wextra -Werror -pedantic -c %t/names.c -o %t/c.o
// RUN: c++ -std=c++17 -Wall -Wextra -Werror -pedantic -c %t/names.cpp -o %t/cpp.o

// Whatever the program's names are, the header is C and C++.

// CHECK: /* memory space "a* / / *b" */
// CHECK: intptr_t register_arena_bytes_a_b(void);
// CHECK: no prototypes: C has no such name
func.func @register(%x: memref<64xf32, "a*/ /*b">) {
  %a = memref.alloc() : memref<64xf32, "a*/ /*b">
  linalg.exp ins(%x : memref<64xf32, "a*/ /*b">) outs(%a : memref<64xf32, "a*/ /*b">)
  linalg.exp ins(%a : memref<64xf32, "a*/ /*b">) outs(%x : memref<64xf32, "a*/ /*b">)
  return
}

// CHECK:     #define NET_ARENA_BYTES 0
// CHECK:     arg0: memref<64xf32, "a* / / *b">, 256 bytes
// CHECK:     void net(
// CHECK:     /* Net: no macros, as NET_ARENA_BYTES is that of another */
// CHECK-NOT: #define NET_ARENA_BYTES
// CHECK:     intptr_t Net_arena_bytes(void);
// CHECK:     void Net(
func.func @net(%x: memref<64xf32, "a*/ /*b">) {
  return
}

func.func @Net(%x: memref<64xf32>) {
  return
}

// CHECK: no prototypes: C has no such name
func.func @class(%x: memref<f32>) {
  return
}

// CHECK: no prototypes: C has no such name
func.func @"a-b"(%x: memref<f32>) {
  return
}

// CHECK: void a_b(float *arg0
func.func @a_b(%x: memref<f32>) {
  return
}

// CHECK: no prototypes: C has no such name
func.func @main() -> i32 {
  %zero = arith.constant 0 : i32
  return %zero : i32
}

// What compilers know of C's library has no other prototype, but can be called by descriptors.
// CHECK:     no bare pointers: C's library has that name
// CHECK:     void _mlir_ciface_abs(stowage_memref_float_0 *arg0
func.func @abs(%x: memref<f32>) attributes {llvm.emit_c_interface} {
  return
}

// CHECK: no bare pointers: C's library has that name
func.func @sqrtf(%x: memref<f32>) {
  return
}

// Names that C keeps for compilers and for <stdint.h>, and those of the header itself.
// CHECK-COUNT-5: no prototypes: C has no such name
func.func @_Bool() {
  return
}

func.func @intptr_t() {
  return
}

func.func @INT8_MAX() {
  return
}

func.func @stowage_memref_float_0() {
  return
}

func.func @STOWAGE_NAMES_H() {
  return
}

// CHECK: void LATER_ARENA_BYTES(
func.func @LATER_ARENA_BYTES() {
  return
}

// CHECK: /* later: no macros, as LATER_ARENA_BYTES is that of another */
func.func @later() {
  return
}

// CHECK: } several_results_0;
// CHECK: void _mlir_ciface_several(several_results_0 *returned
func.func @several() -> (i1, i8) attributes {llvm.emit_c_interface} {
  %yes = arith.constant true
  %one = arith.constant 1 : i8
  return %yes, %one : i1, i8
}

// CHECK: void several_results(
func.func @several_results() {
  return
}
