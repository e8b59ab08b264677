// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants of which a step reads a slice get the order of tiles, slice by slice: columns of a product, rows, rows of one whose
// second operand is transposed, channels of a convolution, bytes in pairs, slices that do not move, one behind a reshape. Others
// stay: slices at no multiple of their size, at a number that is not known, of two sizes, slices of slices, slices beside all.

// RUN: stowage-opt %s --convert-linalg-to-vectors --remarks-filter=convert-linalg-to-vectors -o - 2>&1 | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=64 registers=5 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=256 registers=16 dot=vnni})' | FileCheck %s --check-prefix=EQUAL

// EQUAL: equal

// CHECK: weights-packed{{.*}}7 constants of {{[0-9]+}} bytes
// CHECK: module
// CHECK-NOT: @columns
// CHECK-NOT: @rows
// CHECK-NOT: @turned
// CHECK-NOT: @channels
// CHECK-NOT: @bytes
// CHECK-NOT: @still
// CHECK-NOT: @reshaped
// CHECK: memref.global "private" constant @overlapping
// CHECK: memref.global "private" constant @unknown
// CHECK: memref.global "private" constant @two_sizes
// CHECK: memref.global "private" constant @slice_of_slice
// CHECK: memref.global "private" constant @beside_all

memref.global "private" constant @columns : memref<5x21xf32> = dense<"0x0000E83F000070BF00003440000040BE0000244000003440000004400000883F00003CC00000103F00004440000098BF0000044000002CC00000D8BF00000CC0000040BE0000503F000098BF0000803D0000A83F00000CC00000C83F000098BF00003CC0000034400000B8BF0000A03E000070BF0000D8BF000044400000803D0000D8BF0000444000001CC00000F8BF0000E83F0000E83F0000103F0000F8BF0000F8BF00003CC000003CC00000B8BF000044400000B8BF0000D8BF0000D8BF000030BF0000E0BE0000B8BF0000A83F00001440000004400000B8BF0000D8BF000024400000B8BF0000803D000030BF00003CC0000040BE0000A03E0000D8BF0000F8BF000070BF00001CC00000E0BE000030BF0000E83F0000C83F00003CC00000E83F00001440000024400000E0BE00001CC0000030BF000040BE000030BF0000503F000024400000E0BE0000D8BF0000503F0000503F000024400000D8BF00002CC0000070BF00003CC000003440000040BE0000803D00003CC00000A83F0000A03E000040BE0000803D0000C83F00003CC00000103F00002CC0000024400000D8BF">
memref.global "private" constant @rows : memref<15x9xf32> = dense<"0x0000E83F0000B8BF00000CC000004440000098BF0000103F000040BE0000883F000040BE0000883F000070BF000044400000103F00000CC00000C83F0000344000004440000040BE000030BF00002CC00000A03E00001CC00000B8BF0000E0BE0000883F0000E83F000040BE0000F8BF0000E0BE000070BF000024400000A83F00001CC0000030BF000014400000E0BE000030BF0000D8BF00001CC0000004400000F8BF0000344000002440000030BF0000503F0000D8BF0000344000002CC000001CC00000E83F0000A83F0000803D00002CC0000098BF000034400000E83F000040BE000070BF0000103F000004400000A03E0000F8BF00002CC00000044000002CC00000503F0000E0BE0000B8BF0000F8BF000034400000C83F0000F8BF000004400000A03E00000CC00000D8BF0000A03E000040BE0000F8BF00002CC00000A03E000030BF0000F8BF0000103F0000E83F0000D8BF0000883F0000103F0000503F00002440000034400000E0BE0000503F000070BF000030BF0000503F0000803D0000F8BF00000CC00000803D0000A83F0000D8BF000004400000503F0000E0BE0000D8BF00001CC00000503F000070BF0000883F0000A83F0000883F000040BE00001CC000004440000040BE000024400000C83F0000144000002CC000004440000030BF000040BE0000A83F0000244000001440000070BF0000503F000070BF000044400000244000002440000030BF0000E0BE00000440">
memref.global "private" constant @turned : memref<14x5xf32> = dense<"0x0000D8BF0000C83F00003CC00000503F0000A83F00004440000070BF0000E0BE00001440000070BF0000103F000030BF0000883F0000044000001440000040BE000040BE000070BF00000440000040BE000034400000A03E000040BE0000D8BF000024400000103F000040BE0000E0BE0000883F0000F8BF0000883F0000D8BF0000B8BF000040BE0000503F000030BF0000244000001CC00000344000001440000034400000A03E0000D8BF0000E83F000044400000C83F0000883F000014400000A03E000030BF0000E83F0000A83F0000444000000440000070BF0000344000003CC00000B8BF0000D8BF0000C83F0000103F0000E83F000004400000D8BF000098BF00004440000014400000D8BF0000044000002440">
memref.global "private" constant @channels : memref<2x2x3x14xf32> = dense<"0x00002CC00000503F000098BF0000D8BF00002CC00000F8BF00000CC00000E0BE0000D8BF0000503F0000B8BF0000A83F00002CC00000A03E0000103F000040BE0000803D000014400000E83F00001CC00000C83F0000B8BF000098BF00002440000040BE00003CC0000040BE0000803D000070BF0000A03E00000CC0000024400000A83F000040BE00002CC00000A83F0000E83F000030BF00000CC0000030BF0000A83F0000883F0000E0BE0000C83F000030BF000040BE0000F8BF0000A03E0000A03E0000C83F000004400000A83F000040BE0000103F0000F8BF0000D8BF0000E83F0000803D0000C83F0000503F0000B8BF0000F8BF0000E83F00001CC0000040BE0000144000003CC00000803D00000CC00000E0BE0000C83F0000E83F0000A83F0000F8BF0000E0BE000004400000C83F0000803D0000A03E0000A03E000098BF0000503F000030BF0000503F000024400000803D0000803D0000D8BF0000E83F0000E83F000070BF00003440000030BF0000503F000070BF0000A03E00003CC00000E0BE000030BF0000503F000030BF0000F8BF0000503F00003CC000000CC0000014400000E83F0000103F000098BF000030BF00002CC00000F8BF0000803D00003CC00000503F0000A83F0000A83F000070BF000098BF0000503F00002CC0000098BF0000503F000070BF0000F8BF00003440000030BF000030BF0000503F0000E83F0000503F0000883F000004400000E83F0000344000000CC000003CC0000044400000F8BF000030BF000030BF0000A83F000024400000E0BE0000E83F000030BF000034400000883F00003CC00000103F000040BE000040BE00001440000034400000C83F0000F8BF00002CC000003CC0000070BF0000A83F0000103F0000144000000CC0000014400000A83F0000B8BF00003CC00000A03E">
memref.global "private" constant @bytes : memref<7x18xi8> = dense<"0xDAF6C5F3C86497EE219B01DD92F19F4954F4FEA94ED9182375882B200DAADB23CFF9193F3E70384495E04C5D5ED352226D1637C2248F1D3CCC4405DD2EA1FAFAB4BF1C46964D947086207882914478BEE8C75B4309AE2B122E3FE87AC7ECF5A5370FC41B4DDB723B2AFB6C47C0B57894AAB2C5C145B797DDB9126E5CCA20">
memref.global "private" constant @still : memref<5x10xf32> = dense<"0x00000CC000002CC000002CC00000D8BF0000B8BF0000B8BF00002CC00000503F0000503F0000144000004440000040BE00003CC00000A03E0000503F000030BF0000E83F0000A03E0000E0BE0000103F0000103F00000CC00000B8BF0000F8BF000004400000D8BF00001CC0000040BE0000803D0000503F0000F8BF0000A83F000070BF00000CC0000070BF0000D8BF00004440000030BF00001440000098BF00002CC00000503F00002CC0000040BE00004440000040BE0000E0BE00002CC00000244000003CC0">
memref.global "private" constant @reshaped : memref<90xf32> = dense<"0x000014400000103F0000503F0000F8BF00000CC0000014400000E0BE000030BF0000103F00001440000098BF000034400000D8BF00002CC00000B8BF0000244000003CC00000C83F000098BF0000144000001CC00000E83F0000803D00002440000040BE00001440000030BF0000D8BF0000103F000040BE000030BF00001CC000003440000024400000103F0000D8BF00004440000098BF0000D8BF000014400000B8BF00002CC0000004400000E83F0000A03E00003440000070BF00003CC00000103F00002CC00000103F00004440000014400000A03E0000D8BF00002CC000002CC00000A83F0000883F0000C83F000040BE00000CC00000244000001CC0000098BF0000503F00001CC00000503F00002CC000001440000098BF0000044000002CC00000503F0000803D00002CC000002CC0000070BF0000A03E0000103F000030BF0000044000002CC000002CC00000B8BF0000D8BF000024400000883F000004400000803D">
memref.global "private" constant @overlapping : memref<5x16xf32> = dense<"0x0000B8BF0000A83F000098BF00001CC00000E0BE00000CC000001CC00000A83F0000D8BF0000E83F00001CC0000034400000B8BF0000E83F00003CC00000103F0000A83F000040BE0000503F0000A03E0000C83F000044400000803D0000883F000004400000F8BF0000344000003CC000004440000030BF000024400000103F000098BF0000A83F00000CC00000F8BF000030BF0000503F00001CC00000444000004440000070BF0000803D0000E0BE0000F8BF0000F8BF0000A83F00001CC00000503F000098BF0000244000001CC00000A03E0000C83F00001440000098BF000070BF00002CC00000503F00002440000098BF00002CC0000024400000B8BF000030BF000040BE00000CC000001CC00000A03E000044400000E0BE0000803D00004440000044400000A83F00003CC0000030BF00000440000044400000F8BF">
memref.global "private" constant @unknown : memref<5x14xf32> = dense<"0x0000C83F00003CC00000103F0000F8BF000024400000044000003CC00000344000002CC0000024400000A03E000070BF00000CC00000803D0000A83F0000F8BF0000E0BE00001CC0000030BF0000D8BF0000F8BF000070BF0000503F000014400000E0BE000030BF00002CC000001CC00000A83F00004440000034400000A83F00003CC000003CC000000CC000002CC00000F8BF000040BE0000A03E000070BF0000E83F00003CC0000098BF0000883F0000A03E0000F8BF000040BE0000B8BF0000E0BE000040BE00003CC00000D8BF0000C83F0000E83F0000D8BF0000344000000CC0000070BF0000883F0000E83F0000D8BF00000440000024400000F8BF0000103F000044400000A03E0000A03E00000CC00000E0BE">
memref.global "private" constant @two_sizes : memref<5x12xf32> = dense<"0x0000E0BE0000103F000098BF0000103F0000E83F0000A03E0000D8BF0000103F00002CC000004440000014400000D8BF0000A83F0000503F0000503F0000E83F00003CC000000CC00000F8BF0000A03E0000144000002CC00000B8BF00003CC000002CC00000C83F000098BF0000503F00002440000040BE0000803D0000103F0000B8BF0000B8BF000070BF0000B8BF000030BF0000A83F0000883F000040BE0000444000004440000098BF000040BE000040BE000098BF0000144000002CC00000E83F0000503F0000803D000040BE0000F8BF0000F8BF000098BF0000503F0000803D00002CC000000CC00000D8BF">
memref.global "private" constant @slice_of_slice : memref<10x12xf32> = dense<"0x0000803D00000CC00000444000002440000030BF0000B8BF000044400000E0BE0000503F000014400000503F0000A83F0000E83F00001CC00000B8BF0000803D0000244000003CC000000CC00000883F0000E83F0000C83F0000E83F0000D8BF0000803D00003CC00000E0BE0000144000003CC00000E83F000030BF0000883F0000803D0000883F0000503F0000A83F00002440000024400000803D0000103F0000C83F000024400000A83F0000144000002CC00000A83F0000F8BF0000A03E000040BE0000C83F00003CC000001440000044400000883F0000B8BF000030BF000030BF00001CC000003CC000001CC000004440000040BE0000E83F0000C83F00004440000024400000A03E000030BF00003CC0000070BF00002440000098BF00001CC000002CC00000444000001CC000001440000030BF000040BE00002440000034400000E83F0000E83F0000A83F0000B8BF0000503F0000883F00001CC000000CC0000098BF0000E0BE0000A83F0000A03E0000803D00003CC0000014400000803D0000803D0000D8BF00004440000004400000883F0000B8BF000014400000E83F0000E0BE0000803D0000E0BE00000CC0000024400000A83F0000244000002440000040BE000098BF00000CC00000B8BF000030BF000030BF000070BF">
memref.global "private" constant @beside_all : memref<5x14xf32> = dense<"0x0000E83F00001CC00000D8BF00001CC0000004400000A03E000044400000D8BF000098BF0000044000001CC00000C83F0000C83F00000440000004400000A83F000034400000A03E0000A03E000098BF0000A03E0000503F0000883F0000E83F000098BF000030BF0000A03E000070BF00001CC00000E83F0000E0BE0000D8BF0000A03E00003CC00000F8BF00000CC0000030BF0000C83F0000A83F0000E83F0000C83F0000D8BF0000A03E0000B8BF0000E0BE0000E83F00000CC000000440000024400000E0BE0000344000001CC000002CC00000503F0000F8BF0000883F00001CC00000E0BE0000B8BF0000103F000004400000803D000098BF000024400000E83F0000503F00000CC000003CC00000B8BF00001440">
memref.global "private" constant @input : memref<60xf32> = dense<"0x0000D8BF00000CC000001CC00000E0BE0000F8BF000040BE0000E83F0000444000000CC00000C83F000044400000103F000034400000E0BE000044400000D8BF000024400000A83F0000C83F0000044000000CC0000040BE00000CC000001CC00000B8BF0000B8BF0000E0BE000040BE0000D8BF0000103F00001440000034400000444000001CC0000098BF0000803D0000A83F0000103F0000803D00003CC000000CC00000E83F000040BE0000F8BF0000144000003CC00000503F0000803D0000E0BE0000344000001CC00000503F000044400000344000002440000030BF00003CC000000CC00000503F000040BE">
memref.global "private" constant @narrow : memref<4x7xi8> = dense<"0x64AFC34894FF2D3897D0AC20DD1970D7798A254A8A31F4DD5CC57D2F">
memref.global @place : memref<1xindex> = dense<7>

#mul_a = affine_map<(d0, d1, d2) -> (d0, d2)>
#mul_b = affine_map<(d0, d1, d2) -> (d1, d2)>
#mul_c = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func private @printI64(i64)
func.func private @printNewline()
func.func @show(%m: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xi32>
    %w = arith.extsi %v : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func @show_numbers(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c15 = arith.constant 15 : index
  %zero = arith.constant 0.5 : f32
  %none = arith.constant 3 : i32
  %in = memref.get_global @input : memref<60xf32>
  %first = memref.subview %in[0] [20] [1] : memref<60xf32> to memref<20xf32, strided<[1]>>
  %a = memref.expand_shape %first [[0, 1]] output_shape [4, 5] : memref<20xf32, strided<[1]>> into memref<4x5xf32>
  %place = memref.get_global @place : memref<1xindex>
  %somewhere = memref.load %place[%c0] : memref<1xindex>

  %y7 = memref.alloc() : memref<4x7xf32>
  linalg.fill ins(%zero : f32) outs(%y7 : memref<4x7xf32>)
  %y9 = memref.alloc() : memref<4x9xf32>
  linalg.fill ins(%zero : f32) outs(%y9 : memref<4x9xf32>)

  %columns = memref.get_global @columns : memref<5x21xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    %j = arith.muli %i, %c7 : index
    %columns_s = memref.subview %columns[0, %j] [5, 7] [1, 1] : memref<5x21xf32> to memref<5x7xf32, strided<[21, 1], offset: ?>>
    linalg.matmul ins(%a, %columns_s : memref<4x5xf32>, memref<5x7xf32, strided<[21, 1], offset: ?>>) outs(%y7 : memref<4x7xf32>)
    %y7_f = memref.collapse_shape %y7 [[0, 1]] : memref<4x7xf32> into memref<28xf32>
    %y7_d = memref.cast %y7_f : memref<28xf32> to memref<?xf32>
    func.call @show_numbers(%y7_d) : (memref<?xf32>) -> ()
  }

  %rows = memref.get_global @rows : memref<15x9xf32>
  scf.for %j = %c0 to %c15 step %c5 {
    %rows_s = memref.subview %rows[%j, 0] [5, 9] [1, 1] : memref<15x9xf32> to memref<5x9xf32, strided<[9, 1], offset: ?>>
    linalg.matmul ins(%a, %rows_s : memref<4x5xf32>, memref<5x9xf32, strided<[9, 1], offset: ?>>) outs(%y9 : memref<4x9xf32>)
    %y9_f = memref.collapse_shape %y9 [[0, 1]] : memref<4x9xf32> into memref<36xf32>
    %y9_d = memref.cast %y9_f : memref<36xf32> to memref<?xf32>
    func.call @show_numbers(%y9_d) : (memref<?xf32>) -> ()
  }

  %turned = memref.get_global @turned : memref<14x5xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %j = arith.muli %c7, %i : index
    %s = memref.subview %turned[%j, 0] [7, 5] [1, 1] : memref<14x5xf32> to memref<7x5xf32, strided<[5, 1], offset: ?>>
    linalg.generic {indexing_maps = [#mul_a, #mul_b, #mul_c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %s : memref<4x5xf32>, memref<7x5xf32, strided<[5, 1], offset: ?>>) outs(%y7 : memref<4x7xf32>) {
    ^bb0(%x: f32, %w: f32, %sum: f32):
      %p = arith.mulf %x, %w : f32
      %n = arith.addf %sum, %p : f32
      linalg.yield %n : f32
    }
    %y7_f = memref.collapse_shape %y7 [[0, 1]] : memref<4x7xf32> into memref<28xf32>
    %y7_d = memref.cast %y7_f : memref<28xf32> to memref<?xf32>
    func.call @show_numbers(%y7_d) : (memref<?xf32>) -> ()
  }

  %image = memref.expand_shape %in [[0, 1, 2, 3]] output_shape [1, 4, 5, 3] : memref<60xf32> into memref<1x4x5x3xf32>
  %z = memref.alloc() : memref<1x3x4x7xf32>
  linalg.fill ins(%zero : f32) outs(%z : memref<1x3x4x7xf32>)
  %channels = memref.get_global @channels : memref<2x2x3x14xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %j = arith.muli %i, %c7 : index
    %s = memref.subview %channels[0, 0, 0, %j] [2, 2, 3, 7] [1, 1, 1, 1] : memref<2x2x3x14xf32> to memref<2x2x3x7xf32, strided<[84, 42, 14, 1], offset: ?>>
    linalg.conv_2d_nhwc_hwcf ins(%image, %s : memref<1x4x5x3xf32>, memref<2x2x3x7xf32, strided<[84, 42, 14, 1], offset: ?>>) outs(%z : memref<1x3x4x7xf32>)
    %f = memref.collapse_shape %z [[0, 1, 2, 3]] : memref<1x3x4x7xf32> into memref<84xf32>
    %d = memref.cast %f : memref<84xf32> to memref<?xf32>
    func.call @show_numbers(%d) : (memref<?xf32>) -> ()
  }

  %narrow = memref.get_global @narrow : memref<4x7xi8>
  %bytes = memref.get_global @bytes : memref<7x18xi8>
  %t = memref.alloc() : memref<4x9xi32>
  linalg.fill ins(%none : i32) outs(%t : memref<4x9xi32>)
  scf.for %i = %c0 to %c2 step %c1 {
    %c9 = arith.constant 9 : index
    %j = arith.muli %i, %c9 : index
    %s = memref.subview %bytes[0, %j] [7, 9] [1, 1] : memref<7x18xi8> to memref<7x9xi8, strided<[18, 1], offset: ?>>
    linalg.matmul ins(%narrow, %s : memref<4x7xi8>, memref<7x9xi8, strided<[18, 1], offset: ?>>) outs(%t : memref<4x9xi32>)
    %f = memref.collapse_shape %t [[0, 1]] : memref<4x9xi32> into memref<36xi32>
    %d = memref.cast %f : memref<36xi32> to memref<?xi32>
    func.call @show(%d) : (memref<?xi32>) -> ()
  }

  %y5 = memref.alloc() : memref<4x5xf32>
  linalg.fill ins(%zero : f32) outs(%y5 : memref<4x5xf32>)
  %still = memref.get_global @still : memref<5x10xf32>
  %still_0 = memref.subview %still[0, 0] [5, 5] [1, 1] : memref<5x10xf32> to memref<5x5xf32, strided<[10, 1]>>
  linalg.matmul ins(%a, %still_0 : memref<4x5xf32>, memref<5x5xf32, strided<[10, 1]>>) outs(%y5 : memref<4x5xf32>)
  %still_5 = memref.subview %still[0, 5] [5, 5] [1, 1] : memref<5x10xf32> to memref<5x5xf32, strided<[10, 1], offset: 5>>
  linalg.matmul ins(%a, %still_5 : memref<4x5xf32>, memref<5x5xf32, strided<[10, 1], offset: 5>>) outs(%y5 : memref<4x5xf32>)
  %y5_f = memref.collapse_shape %y5 [[0, 1]] : memref<4x5xf32> into memref<20xf32>
  %y5_d = memref.cast %y5_f : memref<20xf32> to memref<?xf32>
  func.call @show_numbers(%y5_d) : (memref<?xf32>) -> ()

  %flat = memref.get_global @reshaped : memref<90xf32>
  %reshaped = memref.expand_shape %flat [[0, 1]] output_shape [5, 18] : memref<90xf32> into memref<5x18xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %c9 = arith.constant 9 : index
    %j = arith.muli %i, %c9 : index
    %reshaped_s = memref.subview %reshaped[0, %j] [5, 9] [1, 1] : memref<5x18xf32> to memref<5x9xf32, strided<[18, 1], offset: ?>>
    linalg.matmul ins(%a, %reshaped_s : memref<4x5xf32>, memref<5x9xf32, strided<[18, 1], offset: ?>>) outs(%y9 : memref<4x9xf32>)
  }
  %y9_f = memref.collapse_shape %y9 [[0, 1]] : memref<4x9xf32> into memref<36xf32>
  %y9_d = memref.cast %y9_f : memref<36xf32> to memref<?xf32>
  func.call @show_numbers(%y9_d) : (memref<?xf32>) -> ()

  %overlapping = memref.get_global @overlapping : memref<5x16xf32>
  %y4 = memref.alloc() : memref<4x4xf32>
  linalg.fill ins(%zero : f32) outs(%y4 : memref<4x4xf32>)
  scf.for %i = %c0 to %c5 step %c1 {
    %j = arith.muli %i, %c3 : index
    %overlapping_s = memref.subview %overlapping[0, %j] [5, 4] [1, 1] : memref<5x16xf32> to memref<5x4xf32, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%a, %overlapping_s : memref<4x5xf32>, memref<5x4xf32, strided<[16, 1], offset: ?>>) outs(%y4 : memref<4x4xf32>)
  }
  %y4_f = memref.collapse_shape %y4 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %y4_d = memref.cast %y4_f : memref<16xf32> to memref<?xf32>
  func.call @show_numbers(%y4_d) : (memref<?xf32>) -> ()

  %unknown = memref.get_global @unknown : memref<5x14xf32>
  %unknown_s = memref.subview %unknown[0, %somewhere] [5, 7] [1, 1] : memref<5x14xf32> to memref<5x7xf32, strided<[14, 1], offset: ?>>
  linalg.matmul ins(%a, %unknown_s : memref<4x5xf32>, memref<5x7xf32, strided<[14, 1], offset: ?>>) outs(%y7 : memref<4x7xf32>)
  %two_sizes = memref.get_global @two_sizes : memref<5x12xf32>
  %half = memref.subview %two_sizes[0, 4] [5, 4] [1, 1] : memref<5x12xf32> to memref<5x4xf32, strided<[12, 1], offset: 4>>
  linalg.matmul ins(%a, %half : memref<4x5xf32>, memref<5x4xf32, strided<[12, 1], offset: 4>>) outs(%y4 : memref<4x4xf32>)
  %y6 = memref.alloc() : memref<4x6xf32>
  linalg.fill ins(%zero : f32) outs(%y6 : memref<4x6xf32>)
  %more = memref.subview %two_sizes[0, 6] [5, 6] [1, 1] : memref<5x12xf32> to memref<5x6xf32, strided<[12, 1], offset: 6>>
  linalg.matmul ins(%a, %more : memref<4x5xf32>, memref<5x6xf32, strided<[12, 1], offset: 6>>) outs(%y6 : memref<4x6xf32>)
  %slice_of_slice = memref.get_global @slice_of_slice : memref<10x12xf32>
  %lower = memref.subview %slice_of_slice[5, 0] [5, 12] [1, 1] : memref<10x12xf32> to memref<5x12xf32, strided<[12, 1], offset: 60>>
  %right = memref.subview %lower[0, 6] [5, 6] [1, 1] : memref<5x12xf32, strided<[12, 1], offset: 60>> to memref<5x6xf32, strided<[12, 1], offset: 66>>
  linalg.matmul ins(%a, %right : memref<4x5xf32>, memref<5x6xf32, strided<[12, 1], offset: 66>>) outs(%y6 : memref<4x6xf32>)
  %beside_all = memref.get_global @beside_all : memref<5x14xf32>
  %beside_all_s = memref.subview %beside_all[0, %c7] [5, 7] [1, 1] : memref<5x14xf32> to memref<5x7xf32, strided<[14, 1], offset: ?>>
  linalg.matmul ins(%a, %beside_all_s : memref<4x5xf32>, memref<5x7xf32, strided<[14, 1], offset: ?>>) outs(%y7 : memref<4x7xf32>)
  %y14 = memref.alloc() : memref<4x14xf32>
  linalg.fill ins(%zero : f32) outs(%y14 : memref<4x14xf32>)
  linalg.matmul ins(%a, %beside_all : memref<4x5xf32>, memref<5x14xf32>) outs(%y14 : memref<4x14xf32>)
  %y7_g = memref.collapse_shape %y7 [[0, 1]] : memref<4x7xf32> into memref<28xf32>
  %y7_h = memref.cast %y7_g : memref<28xf32> to memref<?xf32>
  func.call @show_numbers(%y7_h) : (memref<?xf32>) -> ()
  %y4_g = memref.collapse_shape %y4 [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %y4_h = memref.cast %y4_g : memref<16xf32> to memref<?xf32>
  func.call @show_numbers(%y4_h) : (memref<?xf32>) -> ()
  %y6_g = memref.collapse_shape %y6 [[0, 1]] : memref<4x6xf32> into memref<24xf32>
  %y6_h = memref.cast %y6_g : memref<24xf32> to memref<?xf32>
  func.call @show_numbers(%y6_h) : (memref<?xf32>) -> ()
  %y14_g = memref.collapse_shape %y14 [[0, 1]] : memref<4x14xf32> into memref<56xf32>
  %y14_h = memref.cast %y14_g : memref<56xf32> to memref<?xf32>
  func.call @show_numbers(%y14_h) : (memref<?xf32>) -> ()
  memref.dealloc %y4 : memref<4x4xf32>
  memref.dealloc %y5 : memref<4x5xf32>
  memref.dealloc %y6 : memref<4x6xf32>
  memref.dealloc %y7 : memref<4x7xf32>
  memref.dealloc %y9 : memref<4x9xf32>
  memref.dealloc %y14 : memref<4x14xf32>
  memref.dealloc %z : memref<1x3x4x7xf32>
  memref.dealloc %t : memref<4x9xi32>
  return
}
