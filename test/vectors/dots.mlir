// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Four products of bytes by one instruction: of inputs with sign and without, with zero points, of extremes and equal weights, of
// sums that wrap, of 11 terms, on lanes that narrower vectors end, of batches. Where the instruction does not fit, it is not there.

// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=512 registers=32 dot=vnni" -o - | FileCheck %s
// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=128 registers=32 dot=neon" -o - | FileCheck %s --check-prefix=NEON
// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=64 dot=vnni" -o - | FileCheck %s --check-prefix=NARROW
// RUN: stowage-opt %s --convert-linalg-to-vectors="vector-bits=32 registers=7 dot=dsp" -o - | FileCheck %s --check-prefix=DSP
// RUN: not stowage-opt %s --convert-linalg-to-vectors="dot=mmx" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: %if vnni %{ %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32 dot=vnni})' | FileCheck %s --check-prefix=EQUAL %}
// RUN: %if vnni %{ %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=256 registers=16 pairs dot=vnni})' | FileCheck %s --check-prefix=EQUAL %}
// RUN: %if vnni %{ %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=128 registers=5 dot=vnni})' | FileCheck %s --check-prefix=EQUAL %}

// EQUAL: equal
// NARROW-NOT: llvm.call_intrinsic
// REFUSED: error: {{.*}}dot{{.*}}none, vnni, neon or dsp

memref.global "private" constant @input : memref<5x11xi8> = dense<"0x7F80818181808081817F1F007F7F7F8101817F811EFEDAEE007F7CFFFF932500FF000181FFFF81238A0101E400B1008180FF7F0000FFDC">
memref.global "private" constant @weights : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">
memref.global "private" constant @lowest_weights : memref<11x20xi8> = dense<-128>
memref.global "private" constant @image : memref<1x4x4x6xi8> = dense<"0x8001CB8157FF7F377F80F781C6015271645D8081FF7F628113A58101D77F0181800000EAF28000000101010180C1458038007F71FF81810081F5FF798000FFC0FF81FFE7813581C9BEFFFF807F188101A011FFDDFF43810B818081817F81517F">
memref.global "private" constant @filter : memref<3x3x6x8xi8> = dense<"0xE60101CD0581E3FC80817F803581647F010181FF01010300EE017F8580018688DF877F81FF67A7007F01F0810D01FFC8277F8081B00E7F1517816621C47F800101F48068FF80FFFFF30F0F80018180FF80FF1B00015EB1857F7F7680290180B6002C017F005701008111FF00A500837F0179FF014F7EB2FF843401007F987F80008000977F010100D7753FFF010000500080D1015DA7C73681016680E90180BD00E901813EB681008000B4800181C87F8062814A01D3FF40F07F00DAF601B7FF0001FFFF1D8147FF076B96807F007F00552E980180E03BFF7F8100FB7F01FF81FFBF0101018101A9300049017F01006BFF81FF0081B0FCA901812C148119807FF31EC02A01597FD7067F845EFF811B8180D700804F00806C07803E2D8080810119014A2B81EB821A050128FF54F9A181F04A3B010000AA80AA079E7F017F91A400807F4B81FF8000667780EE8280EB812081FFA4817F7F9481817E0080004F8081308181FF0043807F80810180CB2E8180C97F7F71FF1E0E1881F77F80980035FF80007F067F5070814731C526FF7F01FF80007F7F0080FF7F80008101F43D7FDD7A31001D9601817F81FF00817F7F64">
memref.global "private" constant @six : memref<11x6xi8> = dense<"0xC38080FD80817F7255FF80018581ED01FF5B8081FF807F7F4BEC5409C71280ADFFA41B7FB4000581FF817300E814018B12808080FF7F8189817F81FF930181007167">
memref.global "private" constant @weights_u : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">
memref.global "private" constant @weights_s : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">
memref.global "private" constant @weights_t : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">
memref.global "private" constant @weights_z : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">
memref.global "private" constant @weights_w : memref<11x20xi8> = dense<"0x8EB7C24D7F7F81FF00817F1B01C800017F7F808081800D7F4CB1F200EEFF80870180810180982E857F7F817F63CD7400808F7FB001BA807F000001010100667F0101002B570E004AF2B38180347F7F6C7F7FA6001FB5D7428100024C003DFFF7361DFF8081808166E7007F8467460080DB01804FBB7F7030000152CE7F8009008081207F35FF7F7F8481FD2D018080857F80FFD589167F527FFF69818A8012017F7F36DDC99D750147FF4201828000900100FFFFFFA5FF7F00FF7F8080818001814FC7FD014A01DB47087580FFC0197D80802F21F280786901FC2701">

memref.global "private" constant @two_weights : memref<2x4x20xi8> = dense<"0x0B30557A9FC4E90E33587DA2C7EC11365B80A5CAEF14395E83A8CDF2173C6186ABD0F51A3F6489AED3F81D42678CB1D6FB20456A8FB4D9FE23486D92B7DC01264B7095BADF04294E7398BDE2072C51769BC0E50A2F54799EC3E80D32577CA1C6EB10355A7FA4C9EE13385D82A7CCF1163B6085AACFF4193E6388ADD2F71C41668BB0D5FA1F44698EB3D8FD22476C91B6DB00254A6F94B9DE03284D7297BCE106">

#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

func.func private @show(%out: memref<5x20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c5 step %c1 {
    scf.for %j = %c0 to %c20 step %c1 {
      %x = memref.load %out[%i, %j] : memref<5x20xi32>
      vector.print %x : i32
    }
  }
  return
}

// The sign changes: 128 times the sum of a lane's weights is taken away. SDOT wants it.
// CHECK-LABEL: func.func private @signed_tiles(
// CHECK: arith.xori {{.*}} : vector<64xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// CHECK-LABEL: func.func private @signed(
// CHECK: memref.get_global @excess
// CHECK: call @signed_tiles
// NEON-LABEL: func.func private @signed_tiles(
// NEON-NOT: @excess
// NEON-NOT: arith.xori
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"({{.*}}) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
// Words, which may lie anywhere, as two pairs of 16 bits.
// DSP-NOT: vector.load
// DSP-LABEL: func.func private @signed
// DSP-NOT: @excess
// DSP: llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> i32
// DSP: llvm.call_intrinsic "llvm.fshr.i32"
// DSP: llvm.call_intrinsic "llvm.arm.sxtb16"
// DSP: llvm.call_intrinsic "llvm.arm.smlad"({{.*}}) : (i32, i32, i32) -> i32
func.func private @signed(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights : memref<11x20xi8>
  linalg.matmul ins(%x, %w : memref<5x11xi8>, memref<11x20xi8>) outs(%out : memref<5x20xi32>)
  return
}

// CHECK-LABEL: func.func private @equal
// CHECK: call @signed_tiles
// NEON-LABEL: func.func private @equal
func.func private @equal(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @lowest_weights : memref<11x20xi8>
  linalg.matmul ins(%x, %w : memref<5x11xi8>, memref<11x20xi8>) outs(%out : memref<5x20xi32>)
  return
}

// CHECK-LABEL: func.func private @unsigned
// CHECK-NOT: @excess
// CHECK-NOT: arith.xori
// CHECK: llvm.call_intrinsic
// DSP-LABEL: func.func private @unsigned
// DSP: llvm.call_intrinsic "llvm.arm.uxtb16"
// NEON-LABEL: func.func private @unsigned
// NEON: @excess
// NEON: arith.xori
// NEON: llvm.call_intrinsic
func.func private @unsigned(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights_u : memref<11x20xi8>
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<5x11xi8>, memref<11x20xi8>) outs(%out : memref<5x20xi32>) {
  ^bb0(%a: i8, %b: i8, %sum: i32):
    %wide = arith.extui %a : i8 to i32
    %weight = arith.extsi %b : i8 to i32
    %product = arith.muli %weight, %wide : i32
    %more = arith.addi %product, %sum : i32
    linalg.yield %more : i32
  }
  return
}

// CHECK-LABEL: func.func private @zero_point
// CHECK: @excess
// CHECK: llvm.call_intrinsic
// NEON-LABEL: func.func private @zero_point
// NEON: @excess
// NEON: llvm.call_intrinsic
func.func private @zero_point(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights_z : memref<11x20xi8>
  %x_zero = arith.constant -77 : i32
  %w_zero = arith.constant 0 : i32
  linalg.quantized_matmul ins(%x, %w, %x_zero, %w_zero : memref<5x11xi8>, memref<11x20xi8>, i32, i32) outs(%out : memref<5x20xi32>)
  return
}

// What is subtracted from weights is multiplied with the input.
// CHECK-LABEL: func.func private @zero_of_weights
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
// NEON-LABEL: func.func private @zero_of_weights
func.func private @zero_of_weights(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights_w : memref<11x20xi8>
  %zero = arith.constant 1 : i32
  linalg.quantized_matmul ins(%x, %w, %zero, %zero : memref<5x11xi8>, memref<11x20xi8>, i32, i32) outs(%out : memref<5x20xi32>)
  return
}

// Windows of three by three, of six channels.
// CHECK-LABEL: func.func private @window
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// NEON-LABEL: func.func private @window
func.func private @window(%out: memref<5x20xi32>) {
  %x = memref.get_global @image : memref<1x4x4x6xi8>
  %w = memref.get_global @filter : memref<3x3x6x8xi8>
  %part = memref.reinterpret_cast %out to offset: [0], sizes: [1, 2, 2, 8], strides: [32, 16, 8, 1] : memref<5x20xi32> to memref<1x2x2x8xi32>
  linalg.conv_2d_nhwc_hwcf ins(%x, %w : memref<1x4x4x6xi8>, memref<3x3x6x8xi8>) outs(%part : memref<1x2x2x8xi32>)
  return
}

// Two lanes are left of six: VPDPBUSD has four at least.
// CHECK-LABEL: func.func private @six_lanes
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
// NEON-LABEL: func.func private @six_lanes
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v2i32.v8i8"
func.func private @six_lanes(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @six : memref<11x6xi8>
  %part = memref.reinterpret_cast %out to offset: [0], sizes: [5, 6], strides: [6, 1] : memref<5x20xi32> to memref<5x6xi32>
  linalg.matmul ins(%x, %w : memref<5x11xi8>, memref<11x6xi8>) outs(%part : memref<5x6xi32>)
  return
}

// A stream's steps, of four lanes each. The excess of each slice would be another.
// CHECK-LABEL: func.func private @sliced_unsigned
// CHECK: scf.for
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.128"
// NEON-LABEL: func.func private @sliced_unsigned
// NEON-NOT: llvm.call_intrinsic
// DSP-LABEL: func.func private @sliced_unsigned
// DSP: llvm.call_intrinsic "llvm.arm.smlad"
func.func private @sliced_unsigned(%out: memref<5x20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights_s : memref<11x20xi8>
  scf.for %i = %c0 to %c5 step %c1 {
    %first = arith.muli %i, %c4 : index
    %ws = memref.subview %w[0, %first] [11, 4] [1, 1] : memref<11x20xi8> to memref<11x4xi8, strided<[20, 1], offset: ?>>
    %os = memref.subview %out[0, %first] [5, 4] [1, 1] : memref<5x20xi32> to memref<5x4xi32, strided<[20, 1], offset: ?>>
    linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %ws : memref<5x11xi8>, memref<11x4xi8, strided<[20, 1], offset: ?>>) outs(%os : memref<5x4xi32, strided<[20, 1], offset: ?>>) {
    ^bb0(%a: i8, %b: i8, %sum: i32):
      %wide = arith.extui %a : i8 to i32
      %weight = arith.extsi %b : i8 to i32
      %product = arith.muli %weight, %wide : i32
      %more = arith.addi %product, %sum : i32
      linalg.yield %more : i32
    }
  }
  return
}

// CHECK-LABEL: func.func private @sliced_signed
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
// NEON-LABEL: func.func private @sliced_signed
// NEON: llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"
// DSP-LABEL: func.func private @sliced_signed
// DSP: llvm.call_intrinsic "llvm.arm.smlad"
func.func private @sliced_signed(%out: memref<5x20xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @weights_t : memref<11x20xi8>
  scf.for %i = %c0 to %c5 step %c1 {
    %first = arith.muli %i, %c4 : index
    %ws = memref.subview %w[0, %first] [11, 4] [1, 1] : memref<11x20xi8> to memref<11x4xi8, strided<[20, 1], offset: ?>>
    %os = memref.subview %out[0, %first] [5, 4] [1, 1] : memref<5x20xi32> to memref<5x4xi32, strided<[20, 1], offset: ?>>
    linalg.matmul ins(%x, %ws : memref<5x11xi8>, memref<11x4xi8, strided<[20, 1], offset: ?>>) outs(%os : memref<5x4xi32, strided<[20, 1], offset: ?>>)
  }
  return
}

// Each point has weights of its own.
func.func private @batch(%out: memref<5x20xi32>) {
  %x = memref.get_global @input : memref<5x11xi8>
  %w = memref.get_global @two_weights : memref<2x4x20xi8>
  %xs = memref.reinterpret_cast %x to offset: [0], sizes: [2, 1, 4], strides: [11, 4, 1] : memref<5x11xi8> to memref<2x1x4xi8, strided<[11, 4, 1]>>
  %part = memref.reinterpret_cast %out to offset: [0], sizes: [2, 1, 20], strides: [20, 20, 1] : memref<5x20xi32> to memref<2x1x20xi32>
  %x_zero = arith.constant -128 : i32
  %w_zero = arith.constant 0 : i32
  linalg.quantized_batch_matmul ins(%xs, %w, %x_zero, %w_zero : memref<2x1x4xi8, strided<[11, 4, 1]>>, memref<2x4x20xi8>, i32, i32) outs(%part : memref<2x1x20xi32>)
  return
}

func.func @main() {
  %most = arith.constant 2147483600 : i32
  %out = memref.alloc() : memref<5x20xi32>
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @signed(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @equal(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @unsigned(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @zero_point(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @zero_of_weights(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @window(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @six_lanes(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @sliced_unsigned(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @sliced_signed(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  linalg.fill ins(%most : i32) outs(%out : memref<5x20xi32>)
  call @batch(%out) : (memref<5x20xi32>) -> ()
  call @show(%out) : (memref<5x20xi32>) -> ()
  memref.dealloc %out : memref<5x20xi32>
  return
}
