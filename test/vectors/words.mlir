// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requantization by upper words: of the least and the largest numbers, with all kinds of shifts, of a row of 23, behind a product.

// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=512 registers=32 pairs" -o - | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=128 registers=32" -o - | FileCheck %s --check-prefix=WHOLE
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=256 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=128 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=32 registers=7})' | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal
// WHOLE-NOT: vector.bitcast

memref.global "private" constant @numbers : memref<2x23xi32> = dense<[[-2147483648, 2147483647, -1, 0, 1, -2147483647, 2147483646, 65535, -65536, 1234567, -7654321, 255, -256, 100000, -99999, 31, -32, 777777777, -888888888, 3, -3, 1073741824, -1073741824],
  [5, -5, 2147483647, -2147483648, 12, -13, 1000000000, -1000000000, 8191, -8192, 46341, -46341, 2, -2, 6, -7, 1500000000, -1500000000, 40, -41, 99, -100, 17]]>
memref.global "private" constant @bytes : memref<4x9xi8> = dense<[[-128, 127, -128, 127, 0, 1, -1, 100, -100], [127, 127, 127, 127, 127, 127, 127, 127, 127], [-128, -128, -128, -128, -128, -128, -128, -128, -128], [3, -7, 11, -13, 17, -19, 23, -29, 31]]>
memref.global "private" constant @weights : memref<9x20xi8> = dense<-77>

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>

func.func private @show(%row: memref<2x23xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c23 = arith.constant 23 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c23 step %c1 {
      %x = memref.load %row[%i, %j] : memref<2x23xi8>
      vector.print %x : i8
    }
  }
  return
}

// Sixteen words are two times eight numbers; few are extended as they are.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[WORDS:.*]] = arith.addi {{.*}} : vector<16xi32>
// CHECK: vector.bitcast %[[WORDS]] : vector<16xi32> to vector<8xi64>
// CHECK: arith.shli {{.*}} : vector<8xi64>
// CHECK: arith.muli {{.*}} : vector<8xi64>
// CHECK: vector.bitcast %[[WORDS]] : vector<16xi32> to vector<8xi64>
// CHECK-NOT: arith.shli
// CHECK: arith.muli {{.*}} : vector<8xi64>
// CHECK: arith.ori
// CHECK: vector.bitcast {{.*}} : vector<8xi64> to vector<16xi32>
// CHECK: arith.extsi {{.*}} : vector<2xi32> to vector<2xi64>
// CHECK: arith.extsi {{.*}} : i32 to i64
// CHECK: arith.shrsi {{.*}} : vector<16xi32>
// CHECK: arith.addi {{.*}} : vector<16xi32>
// CHECK: arith.maxsi {{.*}} : vector<16xi32>
// CHECK: arith.minsi {{.*}} : vector<16xi32>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: return
// WHOLE-LABEL: func.func @scaled(
// WHOLE: arith.extsi {{.*}} : vector<2xi32> to vector<2xi64>
func.func @scaled(%x: memref<2x23xi32>, %out: memref<2x23xi8>) {
  %bias = arith.constant -12345 : i32
  %scale = arith.constant 1753413056 : i64
  %half = arith.constant 137438953472 : i64
  %by = arith.constant 38 : i64
  %zero = arith.constant -5 : i64
  %low = arith.constant -128 : i64
  %high = arith.constant 127 : i64
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x23xi32>) outs(%out : memref<2x23xi8>) {
  ^bb0(%in: i32, %before: i8):
    %0 = arith.addi %in, %bias : i32
    %1 = arith.extsi %0 : i32 to i64
    %2 = arith.muli %1, %scale : i64
    %3 = arith.addi %2, %half : i64
    %4 = arith.shrsi %3, %by : i64
    %5 = arith.addi %4, %zero : i64
    %6 = arith.maxsi %5, %low : i64
    %7 = arith.minsi %6, %high : i64
    %8 = arith.trunci %7 : i64 to i8
    linalg.yield %8 : i8
  }
  return
}

// A sum that may need more than 32 bits stays in 64, and so does a product by a constant of 40 bits, which wraps.
// CHECK-LABEL: func.func @shifted_by_32(
// CHECK: vector.bitcast
// CHECK: arith.extsi {{.*}} to vector<{{.*}}xi64>
// CHECK: arith.addi {{.*}} : vector<{{.*}}xi64>
func.func @shifted_by_32(%x: memref<2x23xi32>, %out: memref<2x23xi8>) {
  %scale = arith.constant 1099511627777 : i64
  %by = arith.constant 32 : i64
  %zero = arith.constant 1 : i64
  %low = arith.constant -3000000000 : i64
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x23xi32>) outs(%out : memref<2x23xi8>) {
  ^bb0(%in: i32, %before: i8):
    %1 = arith.extsi %in : i32 to i64
    %2 = arith.muli %1, %scale : i64
    %4 = arith.shrsi %2, %by : i64
    %5 = arith.addi %4, %zero : i64
    %6 = arith.maxsi %5, %low : i64
    %8 = arith.trunci %6 : i64 to i8
    linalg.yield %8 : i8
  }
  return
}

// Two sums of words are one number.
// CHECK-LABEL: func.func @shifted_by_63(
// CHECK: vector.bitcast
func.func @shifted_by_63(%x: memref<2x23xi32>, %out: memref<2x23xi8>) {
  %scale = arith.constant -2147483648 : i64
  %by = arith.constant 63 : i64
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x23xi32>) outs(%out : memref<2x23xi8>) {
  ^bb0(%in: i32, %before: i8):
    %0 = arith.extsi %before : i8 to i32
    %1 = arith.extsi %in : i32 to i64
    %2 = arith.extsi %0 : i32 to i64
    %3 = arith.muli %1, %scale : i64
    %4 = arith.subi %2, %3 : i64
    %5 = arith.shrsi %4, %by : i64
    %8 = arith.trunci %5 : i64 to i8
    linalg.yield %8 : i8
  }
  return
}

// A number that is used twice, and a shift by fewer bits, are as they were.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: vector.bitcast
// CHECK: return
func.func @others(%x: memref<2x23xi32>, %out: memref<2x23xi8>) {
  %by = arith.constant 40 : i64
  %less = arith.constant 31 : i64
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x23xi32>) outs(%out : memref<2x23xi8>) {
  ^bb0(%in: i32, %before: i8):
    %1 = arith.extsi %in : i32 to i64
    %2 = arith.muli %1, %1 : i64
    %3 = arith.shrsi %2, %by : i64
    %4 = arith.extsi %in : i32 to i64
    %5 = arith.shrsi %4, %less : i64
    %6 = arith.addi %3, %5 : i64
    %7 = arith.trunci %6 : i64 to i8
    linalg.yield %7 : i8
  }
  return
}

// In the tiles of a product.
// CHECK-LABEL: func.func @behind_product(
// CHECK: vector.bitcast {{.*}} : vector<16xi32> to vector<8xi64>
// CHECK: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
func.func @behind_product(%x: memref<4x9xi8>, %w: memref<9x20xi8>, %sums: memref<4x20xi32>, %out: memref<4x20xi8>) {
  %scale = arith.constant 1431655765 : i64
  %half = arith.constant 274877906944 : i64
  %by = arith.constant 39 : i64
  %low = arith.constant -128 : i64
  %high = arith.constant 127 : i64
  linalg.matmul ins(%x, %w : memref<4x9xi8>, memref<9x20xi8>) outs(%sums : memref<4x20xi32>)
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<4x20xi32>) outs(%out : memref<4x20xi8>) {
  ^bb0(%in: i32, %before: i8):
    %1 = arith.extsi %in : i32 to i64
    %2 = arith.muli %1, %scale : i64
    %3 = arith.addi %2, %half : i64
    %4 = arith.shrsi %3, %by : i64
    %5 = arith.maxsi %4, %low : i64
    %6 = arith.minsi %5, %high : i64
    %7 = arith.trunci %6 : i64 to i8
    linalg.yield %7 : i8
  }
  return
}

// Numbers of more bits than two words have.
// CHECK-LABEL: func.func @wider(
// CHECK: arith.maxsi {{.*}} : i48
// CHECK: arith.minsi {{.*}} : i128
func.func @wider(%x: memref<2x23xi32>, %out: memref<2x23xi8>) {
  %low = arith.constant -100 : i48
  %high = arith.constant 18446744073709551616 : i128
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<2x23xi32>) outs(%out : memref<2x23xi8>) {
  ^bb0(%in: i32, %before: i8):
    %0 = arith.extsi %in : i32 to i48
    %1 = arith.maxsi %0, %low : i48
    %2 = arith.trunci %1 : i48 to i32
    %3 = arith.extsi %2 : i32 to i128
    %4 = arith.minsi %3, %high : i128
    %5 = arith.trunci %4 : i128 to i8
    linalg.yield %5 : i8
  }
  return
}

func.func @main() {
  %zero8 = arith.constant 1 : i8
  %zero32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  %x = memref.get_global @numbers : memref<2x23xi32>
  %out = memref.alloc() : memref<2x23xi8>
  linalg.fill ins(%zero8 : i8) outs(%out : memref<2x23xi8>)
  call @scaled(%x, %out) : (memref<2x23xi32>, memref<2x23xi8>) -> ()
  call @show(%out) : (memref<2x23xi8>) -> ()
  call @shifted_by_32(%x, %out) : (memref<2x23xi32>, memref<2x23xi8>) -> ()
  call @show(%out) : (memref<2x23xi8>) -> ()
  call @shifted_by_63(%x, %out) : (memref<2x23xi32>, memref<2x23xi8>) -> ()
  call @show(%out) : (memref<2x23xi8>) -> ()
  call @others(%x, %out) : (memref<2x23xi32>, memref<2x23xi8>) -> ()
  call @show(%out) : (memref<2x23xi8>) -> ()
  call @wider(%x, %out) : (memref<2x23xi32>, memref<2x23xi8>) -> ()
  call @show(%out) : (memref<2x23xi8>) -> ()
  memref.dealloc %out : memref<2x23xi8>
  %bytes = memref.get_global @bytes : memref<4x9xi8>
  %w = memref.get_global @weights : memref<9x20xi8>
  %sums = memref.alloc() : memref<4x20xi32>
  linalg.fill ins(%zero32 : i32) outs(%sums : memref<4x20xi32>)
  %rows = memref.alloc() : memref<4x20xi8>
  call @behind_product(%bytes, %w, %sums, %rows) : (memref<4x9xi8>, memref<9x20xi8>, memref<4x20xi32>, memref<4x20xi8>) -> ()
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c20 step %c1 {
      %y = memref.load %rows[%i, %j] : memref<4x20xi8>
      vector.print %y : i8
    }
  }
  memref.dealloc %rows : memref<4x20xi8>
  memref.dealloc %sums : memref<4x20xi32>
  return
}
