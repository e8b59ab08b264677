// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: rm -rf %t && mkdir %t
// RUN: stowage-opt %s --merge-alloc="arena=argument public result-arguments emit-header=%t/signs.h" -o %t/signs.mlir
// RUN: FileCheck %s < %t/signs.h
// RUN: printf '#include "signs.h"\n' > %t/signs.c && cp %t/signs.c %t/signs.cpp
// RUN: cc -std=c11 -Wall -Wextra -Werror -pedantic -c %t/signs.c -o %t/c.o
// RUN: c++ -std=c++17 -Wall -Wextra -Werror -pedantic -c %t/signs.cpp -o %t/cpp.o
// RUN: FileCheck %s --check-prefix=IR < %t/signs.mlir

// Signless integers are what the program says of them, also where a result becomes an argument.

// CHECK:      void net(uint8_t *arg0, int8_t *arg1, uint8_t *result0, int8_t *result1, void *arena);
// CHECK-NEXT: void _mlir_ciface_net(stowage_memref_uint8_t_1 *arg0, stowage_memref_int8_t_1 *arg1,
// CHECK-SAME: stowage_memref_uint8_t_1 *result0, stowage_memref_int8_t_1 *result1,
func.func @net(%x: memref<4xi8> {stowage.unsigned}, %y: memref<4xi8>)
    -> (memref<4xi8> {stowage.unsigned}, memref<4xi8>) attributes {llvm.emit_c_interface} {
  %a = memref.alloc() : memref<4xi8>
  linalg.add ins(%x, %y : memref<4xi8>, memref<4xi8>) outs(%a : memref<4xi8>)
  %b = memref.alloc() : memref<4xi8>
  linalg.mul ins(%a, %y : memref<4xi8>, memref<4xi8>) outs(%b : memref<4xi8>)
  return %a, %b : memref<4xi8>, memref<4xi8>
}

// CHECK: uint16_t number(uint16_t arg0, void *arena);
// CHECK: uint16_t _mlir_ciface_number(uint16_t arg0,
// IR:    func.func @number({{.*}}) -> (i16 {llvm.zeroext, stowage.unsigned})
func.func @number(%n: i16 {stowage.unsigned}) -> (i16 {stowage.unsigned}) attributes {llvm.emit_c_interface} {
  return %n : i16
}
