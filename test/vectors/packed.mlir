// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constants that only tiles read, in one order, get that order: of a product, shared by two; of one whose second operand is
// transposed; of a convolution; of products of a batch; behind a reshape; equal elements; a resource. Others stay: what is read
// in two orders, or loaded, or public, or read in part.

// RUN: stowage-opt %s --convert-linalg-to-vectors --remarks-filter=convert-linalg-to-vectors -o - 2>&1 | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors=pack-weights=false --remarks-filter=convert-linalg-to-vectors -o - 2>&1 | FileCheck %s --check-prefix=AS-IS
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=64 registers=5})' | FileCheck %s --check-prefix=EQUAL

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=64 registers=5 pairs})' | FileCheck %s --check-prefix=EQUAL
// RUN: stowage-opt %s --convert-linalg-to-vectors=pairs -o - | FileCheck %s --check-prefix=PAIRS

// EQUAL: equal

// Of the two steps of each iteration, both elements are in one vector.
// PAIRS: vector.shuffle {{.*}} [0, 1, 0, 1, 0, 1, 0, 1] : vector<2xi8>, vector<2xi8>
// PAIRS: vector.load {{.*}} vector<8xi8>
// PAIRS: arith.muli {{.*}} : vector<8xi32>
// PAIRS: vector.shuffle {{.*}} [0, 2, 4, 6] : vector<8xi32>
// PAIRS: vector.shuffle {{.*}} [1, 3, 5, 7] : vector<8xi32>

// CHECK: weights-packed{{.*}}10 constants of {{[0-9]+}} bytes
// CHECK: module
// CHECK-NOT: @product
// CHECK-NOT: @transposed
// CHECK-NOT: @window
// CHECK-NOT: @batch
// CHECK-NOT: @quantized
// CHECK-NOT: @words
// CHECK-NOT: @largest
// CHECK-NOT: @reshaped
// CHECK-NOT: @equal
// CHECK-NOT: @resource
// CHECK: memref.global "private" constant @two_orders : memref<6x6xf32>
// CHECK: memref.global "private" constant @loaded : memref<5x9xf32>
// CHECK: memref.global constant @public : memref<5x9xf32>
// CHECK: memref.global "private" constant @part : memref<6x9xf32>
// AS-IS-NOT: weights-packed
// AS-IS-NOT: @packed
// AS-IS: @product
memref.global "private" constant @product : memref<5x9xf32> = dense<"0x000050BF0000304000000000000030C00000503F0000F8BF0000D03F000090BF00001C400000A0BE000044C00000003F000010C00000A83F0000B8BF00000840000020BF00003C400000403E000024C00000803F0000E0BF0000E83F000070BF00002840000000BE000038C00000303F000004C00000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF">
memref.global "private" constant @transposed : memref<9x5xf32> = dense<"0x0000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F0000D8BF0000F03F000060BF00002C40000080BD000034C00000403F000000C00000C83F000098BF000018400000C0BE000048C00000E03E">
memref.global "private" constant @window : memref<2x3x2x7xi8> = dense<"0x579BDF286CB0F43D81C50E5296DA2367ABEF387CC0094D91D51E62A6EA3377BB04488CD0195DA1E52E72B6FA4387CB14589CE0296DB1F53E82C60F5397DB2468ACF0397DC10A4E92D61F63A7EB3478BC05498DD1">
memref.global "private" constant @batch : memref<3x5x6xf32> = dense<"0x000040BE00003CC00000203F000008C00000B83F0000A8BF00001040000000BF000044400000A03E00001CC00000903F0000D0BF0000F83F000050BF0000304000000000000030C00000503F0000F8BF0000D03F000090BF00001C400000A0BE000044C00000003F000010C00000A83F0000B8BF00000840000020BF00003C400000403E000024C00000803F0000E0BF0000E83F000070BF00002840000000BE000038C00000303F000004C00000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F0000D8BF0000F03F000060BF00002C40000080BD000034C00000403F000000C00000C83F000098BF000018400000C0BE000048C00000E03E000014C00000A03F">
memref.global "private" constant @quantized : memref<7x9xi8> = dense<"0x7EC20B4F93D72064A8EC3579BD064A8ED21B5FA3E73074B8014589CD165A9EE22B6FB3F74084C8115599DD266AAEF23B7FC30C5094D82165A9ED367ABE074B">
memref.global "private" constant @words : memref<2x5x9xi16> = dense<"0x9BDF286CB0F43D81C50E5296DA2367ABEF387CC0094D91D51E62A6EA3377BB04488CD0195DA1E52E72B6FA4387CB14589CE0296DB1F53E82C60F5397DB2468ACF0397DC10A4E92D61F63A7EB3478BC05498DD11A5EA2E62F73B7004488CC15599DE12A6EB2F63F83C7105498DC2569ADF13A7EC20B4F93D72064A8EC3579BD064A8ED21B5FA3E73074B8014589CD165A9EE22B6FB3F74084C8115599DD266AAEF23B7FC30C5094D82165A9ED367ABE074B8FD31C">
memref.global "private" constant @largest : memref<7x9xi8> = dense<"0xB8014589CD165A9EE22B6FB3F74084C8115599DD266AAEF23B7FC30C5094D82165A9ED367ABE074B8FD31C60A4E83175B902468ACE175B9FE32C70B4F84185">
memref.global "private" constant @row : memref<4x7xi8> = dense<"0xD51E62A6EA3377BB04488CD0195DA1E52E72B6FA4387CB14589CE029">
memref.global "private" constant @row_of_words : memref<4x2x5xi16> = dense<"0xF23B7FC30C5094D82165A9ED367ABE074B8FD31C60A4E83175B902468ACE175B9FE32C70B4F84185C912569ADE276BAFF33C80C40D5195D92266AAEE377BBF084C90D41D61A5E93276BA03478BCF185C">
memref.global "private" constant @reshaped : memref<45xf32> = dense<"0x00000840000020BF00003C400000403E000024C00000803F0000E0BF0000E83F000070BF00002840000000BE000038C00000303F000004C00000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F">
memref.global "private" constant @equal : memref<5x9xf32> = dense<0.375>
memref.global "private" constant @resource : memref<5x9xf32> = dense_resource<resource>
memref.global "private" constant @two_orders : memref<6x6xf32> = dense<"0x0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F0000D8BF0000F03F000060BF00002C40000080BD000034C00000403F000000C00000C83F000098BF000018400000C0BE000048C00000E03E000014C00000A03F0000C0BF00000440000030BF00003840">
memref.global "private" constant @loaded : memref<5x9xf32> = dense<"0x0000E03E000014C00000A03F0000C0BF00000440000030BF000038400000003E000028C00000703F0000E8BF0000E03F000080BF00002440000040BE00003CC00000203F000008C00000B83F0000A8BF00001040000000BF000044400000A03E00001CC00000903F0000D0BF0000F83F000050BF0000304000000000000030C00000503F0000F8BF0000D03F000090BF00001C400000A0BE000044C00000003F000010C00000A83F0000B8BF00000840000020BF">
memref.global constant @public : memref<5x9xf32> = dense<"0x0000304000000000000030C00000503F0000F8BF0000D03F000090BF00001C400000A0BE000044C00000003F000010C00000A83F0000B8BF00000840000020BF00003C400000403E000024C00000803F0000E0BF0000E83F000070BF00002840000000BE000038C00000303F000004C00000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F">
memref.global "private" constant @part : memref<6x9xf32> = dense<"0x0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F0000D8BF0000F03F000060BF00002C40000080BD000034C00000403F000000C00000C83F000098BF000018400000C0BE000048C00000E03E000014C00000A03F0000C0BF00000440000030BF000038400000003E000028C00000703F0000E8BF">
memref.global "private" constant @input : memref<45xf32> = dense<"0x0000883F0000D8BF0000F03F000060BF00002C40000080BD000034C00000403F000000C00000C83F000098BF000018400000C0BE000048C00000E03E000014C00000A03F0000C0BF00000440000030BF000038400000003E000028C00000703F0000E8BF0000E03F000080BF00002440000040BE00003CC00000203F000008C00000B83F0000A8BF00001040000000BF000044400000A03E00001CC00000903F0000D0BF0000F83F000050BF0000304000000000">
memref.global "private" constant @bytes : memref<1x4x5x2xi8> = dense<"0x4488CC15599DE12A6EB2F63F83C7105498DC2569ADF13A7EC20B4F93D72064A8EC3579BD064A8ED2">

#mul_a = affine_map<(d0, d1, d2) -> (d0, d2)>
#mul_b = affine_map<(d0, d1, d2) -> (d1, d2)>
#mul_c = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func private @printI64(i64)
func.func private @printNewline()
func.func @show(%v: f32) {
  %b = arith.bitcast %v : f32 to i32
  %w = arith.extsi %b : i32 to i64
  call @printI64(%w) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func @show_all(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    func.call @show(%v) : (f32) -> ()
  }
  return
}
func.func @show_product(%c: memref<4x9xf32>) {
  %f = memref.collapse_shape %c [[0, 1]] : memref<4x9xf32> into memref<36xf32>
  %d = memref.cast %f : memref<36xf32> to memref<?xf32>
  call @show_all(%d) : (memref<?xf32>) -> ()
  return
}
func.func @show_integers(%y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %y[%i] : memref<?xi32>
    %w = arith.extsi %v : i32 to i64
    func.call @printI64(%w) : (i64) -> ()
    func.call @printNewline() : () -> ()
  }
  return
}
func.func @integers() {
  %zero = arith.constant 7 : i32
  %x_zero = arith.constant 3 : i32
  %w_zero = arith.constant -128 : i32
  %x = memref.get_global @row : memref<4x7xi8>
  %y = memref.alloc() : memref<4x9xi32>
  linalg.fill ins(%zero : i32) outs(%y : memref<4x9xi32>)
  %w = memref.get_global @quantized : memref<7x9xi8>
  linalg.quantized_matmul ins(%x, %w, %x_zero, %w_zero : memref<4x7xi8>, memref<7x9xi8>, i32, i32) outs(%y : memref<4x9xi32>)
  %u = memref.get_global @row_of_words : memref<4x2x5xi16>
  %v = memref.get_global @words : memref<2x5x9xi16>
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>,
                                   affine_map<(d0, d1, d2, d3) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
      ins(%u, %v : memref<4x2x5xi16>, memref<2x5x9xi16>) outs(%y : memref<4x9xi32>) {
  ^bb0(%a: i16, %b: i16, %s: i32):
    %c = arith.extsi %a : i16 to i32
    %d = arith.extui %b : i16 to i32
    %p = arith.muli %c, %d : i32
    %n = arith.addi %p, %s : i32
    linalg.yield %n : i32
  }
  %m = memref.get_global @largest : memref<7x9xi8>
  linalg.generic {indexing_maps = [#mul_a, affine_map<(d0, d1, d2) -> (d2, d1)>, #mul_c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %m : memref<4x7xi8>, memref<7x9xi8>) outs(%y : memref<4x9xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %c = arith.extsi %a : i8 to i32
    %d = arith.extsi %b : i8 to i32
    %p = arith.muli %c, %d : i32
    %n = arith.maxsi %s, %p : i32
    linalg.yield %n : i32
  }
  %f = memref.collapse_shape %y [[0, 1]] : memref<4x9xi32> into memref<36xi32>
  %g = memref.cast %f : memref<36xi32> to memref<?xi32>
  call @show_integers(%g) : (memref<?xi32>) -> ()
  memref.dealloc %y : memref<4x9xi32>
  return
}
func.func @main() {
  call @integers() : () -> ()
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %in = memref.get_global @input : memref<45xf32>
  %first = memref.subview %in[0] [20] [1] : memref<45xf32> to memref<20xf32, strided<[1]>>
  %a = memref.expand_shape %first [[0, 1]] output_shape [4, 5] : memref<20xf32, strided<[1]>> into memref<4x5xf32>
  %c = memref.alloc() : memref<4x9xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<4x9xf32>)
  %product = memref.get_global @product : memref<5x9xf32>
  linalg.matmul ins(%a, %product : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %product2 = memref.get_global @product : memref<5x9xf32>
  linalg.matmul ins(%a, %product2 : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %equal = memref.get_global @equal : memref<5x9xf32>
  linalg.matmul ins(%a, %equal : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %resource = memref.get_global @resource : memref<5x9xf32>
  linalg.matmul ins(%a, %resource : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %loaded2 = memref.get_global @loaded : memref<5x9xf32>
  linalg.matmul ins(%a, %loaded2 : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %public = memref.get_global @public : memref<5x9xf32>
  linalg.matmul ins(%a, %public : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %transposed = memref.get_global @transposed : memref<9x5xf32>
  linalg.generic {indexing_maps = [#mul_a, #mul_b, #mul_c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %transposed : memref<4x5xf32>, memref<9x5xf32>) outs(%c : memref<4x9xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %n : f32
  }
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %flat = memref.get_global @reshaped : memref<45xf32>
  %reshaped = memref.expand_shape %flat [[0, 1]] output_shape [5, 9] : memref<45xf32> into memref<5x9xf32>
  linalg.matmul ins(%a, %reshaped : memref<4x5xf32>, memref<5x9xf32>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %some = memref.get_global @part : memref<6x9xf32>
  %part = memref.subview %some[1, 0] [5, 9] [1, 1] : memref<6x9xf32> to memref<5x9xf32, strided<[9, 1], offset: 9>>
  linalg.matmul ins(%a, %part : memref<4x5xf32>, memref<5x9xf32, strided<[9, 1], offset: 9>>) outs(%c : memref<4x9xf32>)
  call @show_product(%c) : (memref<4x9xf32>) -> ()
  %loaded = memref.get_global @loaded : memref<5x9xf32>
  %v = memref.load %loaded[%c2, %c2] : memref<5x9xf32>
  call @show(%v) : (f32) -> ()

  %twice = memref.get_global @two_orders : memref<6x6xf32>
  %square = memref.subview %in[0] [36] [1] : memref<45xf32> to memref<36xf32, strided<[1]>>
  %q = memref.expand_shape %square [[0, 1]] output_shape [6, 6] : memref<36xf32, strided<[1]>> into memref<6x6xf32>
  %d = memref.alloc() : memref<6x6xf32>
  linalg.fill ins(%zero : f32) outs(%d : memref<6x6xf32>)
  linalg.matmul ins(%q, %twice : memref<6x6xf32>, memref<6x6xf32>) outs(%d : memref<6x6xf32>)
  linalg.generic {indexing_maps = [#mul_a, #mul_b, #mul_c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%q, %twice : memref<6x6xf32>, memref<6x6xf32>) outs(%d : memref<6x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %n : f32
  }
  %df = memref.collapse_shape %d [[0, 1]] : memref<6x6xf32> into memref<36xf32>
  %dd = memref.cast %df : memref<36xf32> to memref<?xf32>
  call @show_all(%dd) : (memref<?xf32>) -> ()

  %batch = memref.get_global @batch : memref<3x5x6xf32>
  %rows = memref.subview %in[0] [30] [1] : memref<45xf32> to memref<30xf32, strided<[1]>>
  %r = memref.expand_shape %rows [[0, 1, 2]] output_shape [3, 2, 5] : memref<30xf32, strided<[1]>> into memref<3x2x5xf32>
  %e = memref.alloc() : memref<3x2x6xf32>
  linalg.fill ins(%zero : f32) outs(%e : memref<3x2x6xf32>)
  linalg.batch_matmul ins(%r, %batch : memref<3x2x5xf32>, memref<3x5x6xf32>) outs(%e : memref<3x2x6xf32>)
  %ef = memref.collapse_shape %e [[0, 1, 2]] : memref<3x2x6xf32> into memref<36xf32>
  %ed = memref.cast %ef : memref<36xf32> to memref<?xf32>
  call @show_all(%ed) : (memref<?xf32>) -> ()

  %none = arith.constant 0 : i32
  %window = memref.get_global @window : memref<2x3x2x7xi8>
  %bytes = memref.get_global @bytes : memref<1x4x5x2xi8>
  %y = memref.alloc() : memref<1x3x3x7xi32>
  linalg.fill ins(%none : i32) outs(%y : memref<1x3x3x7xi32>)
  linalg.conv_2d_nhwc_hwcf ins(%bytes, %window : memref<1x4x5x2xi8>, memref<2x3x2x7xi8>) outs(%y : memref<1x3x3x7xi32>)
  %yf = memref.collapse_shape %y [[0, 1, 2, 3]] : memref<1x3x3x7xi32> into memref<63xi32>
  %z = memref.alloc() : memref<63xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%yf : memref<63xi32>) outs(%z : memref<63xf32>) {
  ^bb0(%i: i32, %o: f32):
    %f = arith.sitofp %i : i32 to f32
    linalg.yield %f : f32
  }
  %zd = memref.cast %z : memref<63xf32> to memref<?xf32>
  call @show_all(%zd) : (memref<?xf32>) -> ()
  memref.dealloc %c : memref<4x9xf32>
  memref.dealloc %d : memref<6x6xf32>
  memref.dealloc %e : memref<3x2x6xf32>
  memref.dealloc %y : memref<1x3x3x7xi32>
  memref.dealloc %z : memref<63xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      resource: "0x04000000000020BF00003C400000403E000024C00000803F0000E0BF0000E83F000070BF00002840000000BE000038C00000303F000004C00000C03F0000A0BF000014400000E0BE000048400000C03E000018C00000983F0000C8BF00000040000040BF000034400000803D00002CC00000603F0000F0BF0000D83F000088BF00002040000080BE000040C00000103F00000CC00000B03F0000B0BF00000C40000010BF000040400000803E000020C00000883F0000D8BF"
    }
  }
#-}
