// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Executed as loops and as vectors of several widths: equal bit for bit. Sizes that no tile divides, a
// product with a transposed operand, a grouped convolution, a window with a stride, sums along rows, a
// transpose, two results, the number of an iteration along the lanes and beside them, integers that are
// extended, strided parts of buffers, a loop that adds up of which only the last iteration counts.

// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=512 registers=32})' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(convert-linalg-to-vectors{vector-bits=256 registers=4})' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},convert-linalg-to-vectors{vector-bits=64},buffer-deallocation)' | FileCheck %s
// RUN: %python "%root/exec/harness.py" check %s --pipeline 'builtin.module(reduce-peak,merge-alloc{poison},outline-distinct-views,buffer-deallocation)' | FileCheck %s

// CHECK: equal

#plane = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#mul_a = affine_map<(d0, d1, d2) -> (d0, d2)>
#mul_b = affine_map<(d0, d1, d2) -> (d1, d2)>
#mul_c = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func @product(%a: memref<13x37xf32>, %b: memref<37x29xf32>) -> memref<13x29xf32> {
  %zero = arith.constant 0.25 : f32
  %c = memref.alloc() : memref<13x29xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<13x29xf32>)
  linalg.matmul ins(%a, %b : memref<13x37xf32>, memref<37x29xf32>) outs(%c : memref<13x29xf32>)
  return %c : memref<13x29xf32>
}

func.func @transposed(%a: memref<13x37xf32>) -> memref<13x13xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<13x13xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<13x13xf32>)
  linalg.generic {indexing_maps = [#mul_a, #mul_b, #mul_c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %a : memref<13x37xf32>, memref<13x37xf32>) outs(%c : memref<13x13xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %s, %p : f32
    linalg.yield %n : f32
  }
  return %c : memref<13x13xf32>
}

func.func @per_channel(%a: memref<13x37xf32>) -> memref<1x5x17x2xf32> {
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %a[0, 0] [13, 36] [1, 1] : memref<13x37xf32> to memref<13x36xf32, strided<[37, 1]>>
  %x = memref.expand_shape %part [[0, 1], [2, 3]] output_shape [1, 13, 18, 2] : memref<13x36xf32, strided<[37, 1]>> into memref<1x13x18x2xf32, strided<[481, 37, 2, 1]>>
  %k = memref.subview %a[3, 1] [3, 4] [2, 3] : memref<13x37xf32> to memref<3x4xf32, strided<[74, 3], offset: 112>>
  %w = memref.expand_shape %k [[0], [1, 2]] output_shape [3, 2, 2] : memref<3x4xf32, strided<[74, 3], offset: 112>> into memref<3x2x2xf32, strided<[74, 6, 3], offset: 112>>
  %y = memref.alloc() : memref<1x5x17x2xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x5x17x2xf32>)
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x13x18x2xf32, strided<[481, 37, 2, 1]>>, memref<3x2x2xf32, strided<[74, 6, 3], offset: 112>>)
      outs(%y : memref<1x5x17x2xf32>)
  return %y : memref<1x5x17x2xf32>
}

func.func @bytes(%a: memref<13x37xf32>) -> memref<13x37xi8> {
  %x = memref.alloc() : memref<13x37xi8>
  linalg.generic {indexing_maps = [#plane, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<13x37xf32>) outs(%x : memref<13x37xi8>) {
  ^bb0(%v: f32, %o: i8):
    %c100 = arith.constant 100.0 : f32
    %m = arith.mulf %v, %c100 : f32
    %i = arith.fptosi %m : f32 to i32
    %t = arith.trunci %i : i32 to i8
    linalg.yield %t : i8
  }
  return %x : memref<13x37xi8>
}

func.func @products_of_bytes(%x: memref<13x37xi8>) -> memref<13x13xi32> {
  %zero = arith.constant 0 : i32
  %zx = arith.constant 3 : i32
  %y = memref.alloc() : memref<37x13xi8>
  linalg.transpose ins(%x : memref<13x37xi8>) outs(%y : memref<37x13xi8>) permutation = [1, 0]
  %c = memref.alloc() : memref<13x13xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<13x13xi32>)
  linalg.quantized_matmul ins(%x, %y, %zx, %zx : memref<13x37xi8>, memref<37x13xi8>, i32, i32) outs(%c : memref<13x13xi32>)
  return %c : memref<13x13xi32>
}

func.func @softmax(%a: memref<13x37xf32>) -> memref<13x37xf32> {
  %low = arith.constant -3.0e+38 : f32
  %zero = arith.constant 0.0 : f32
  %max = memref.alloc() : memref<13xf32>
  %sum = memref.alloc() : memref<13xf32>
  %e = memref.alloc() : memref<13x37xf32>
  linalg.fill ins(%low : f32) outs(%max : memref<13xf32>)
  linalg.fill ins(%zero : f32) outs(%sum : memref<13xf32>)
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<13x37xf32>) outs(%max : memref<13xf32>) {
  ^bb0(%v: f32, %s: f32):
    %n = arith.maximumf %v, %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#plane, #row, #plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a, %max : memref<13x37xf32>, memref<13xf32>) outs(%e, %sum : memref<13x37xf32>, memref<13xf32>) {
  ^bb0(%v: f32, %m: f32, %o: f32, %s: f32):
    %d = arith.subf %v, %m : f32
    %n = arith.addf %d, %s : f32
    linalg.yield %d, %n : f32, f32
  }
  linalg.generic {indexing_maps = [#row, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<13xf32>) outs(%e : memref<13x37xf32>) {
  ^bb0(%s: f32, %v: f32):
    %q = arith.divf %v, %s : f32
    linalg.yield %q : f32
  }
  return %e : memref<13x37xf32>
}

// Two results, of which one is turned, and iterations as numbers.
func.func @numbers(%a: memref<13x37xf32>) -> (memref<13x37xf32>, memref<13x37xi64>) {
  %x = memref.alloc() : memref<13x37xf32>
  %y = memref.alloc() : memref<13x37xi64>
  linalg.generic {indexing_maps = [#plane, #plane, #plane], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<13x37xf32>) outs(%x, %y : memref<13x37xf32>, memref<13x37xi64>) {
  ^bb0(%v: f32, %o: f32, %p: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.muli %i, %j : index
    %w = arith.index_cast %s : index to i64
    %f = arith.sitofp %w : i64 to f32
    %m = arith.mulf %f, %v : f32
    %c = arith.cmpf ogt, %m, %v : f32
    %r = arith.select %c, %m, %v : f32
    linalg.yield %r, %w : f32, i64
  }
  return %x, %y : memref<13x37xf32>, memref<13x37xi64>
}

func.func @last(%a: memref<13x37xf32>) -> memref<13xf32> {
  %x = memref.alloc() : memref<13xf32>
  linalg.generic {indexing_maps = [#plane, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<13x37xf32>) outs(%x : memref<13xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return %x : memref<13xf32>
}

func.func @nchw(%a: memref<13x37xf32>) -> memref<1x3x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %part = memref.subview %a[0, 0] [12, 36] [1, 1] : memref<13x37xf32> to memref<12x36xf32, strided<[37, 1]>>
  %x = memref.expand_shape %part [[0, 1, 2], [3]] output_shape [1, 2, 6, 36] : memref<12x36xf32, strided<[37, 1]>> into memref<1x2x6x36xf32, strided<[444, 222, 37, 1]>>
  %k = memref.subview %a[0, 0] [6, 15] [2, 1] : memref<13x37xf32> to memref<6x15xf32, strided<[74, 1]>>
  %w = memref.expand_shape %k [[0, 1], [2, 3]] output_shape [3, 2, 3, 5] : memref<6x15xf32, strided<[74, 1]>> into memref<3x2x3x5xf32, strided<[148, 74, 5, 1]>>
  %y = memref.alloc() : memref<1x3x4x16xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<1x3x4x16xf32>)
  linalg.conv_2d_nchw_fchw {strides = dense<[1, 2]> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : memref<1x2x6x36xf32, strided<[444, 222, 37, 1]>>, memref<3x2x3x5xf32, strided<[148, 74, 5, 1]>>)
      outs(%y : memref<1x3x4x16xf32>)
  return %y : memref<1x3x4x16xf32>
}

func.func private @printI64(i64)
func.func private @printNewline()
func.func @show_number(%w: i64) {
  call @printI64(%w) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
func.func @show(%m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %m[%i] : memref<?xf32>
    %b = arith.bitcast %v : f32 to i32
    %w = arith.extsi %b : i32 to i64
    func.call @show_number(%w) : (i64) -> ()
  }
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %c37 = arith.constant 37 : index
  %a = memref.alloc() : memref<13x37xf32>
  %b = memref.alloc() : memref<37x29xf32>
  linalg.generic {indexing_maps = [#plane], iterator_types = ["parallel", "parallel"]} outs(%a : memref<13x37xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c17 = arith.constant 17 : index
    %c101 = arith.constant 101 : index
    %s = arith.muli %i, %c17 : index
    %t = arith.addi %s, %j : index
    %u = arith.muli %t, %t : index
    %v = arith.remui %u, %c101 : index
    %w = arith.index_cast %v : index to i32
    %f = arith.sitofp %w : i32 to f32
    %c = arith.constant 0.0173 : f32
    %r = arith.mulf %f, %c : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#plane], iterator_types = ["parallel", "parallel"]} outs(%b : memref<37x29xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = arith.muli %i, %j : index
    %w = arith.index_cast %t : index to i32
    %f = arith.sitofp %w : i32 to f32
    %c = arith.constant -0.0031 : f32
    %r = arith.mulf %f, %c : f32
    linalg.yield %r : f32
  }
  %p = call @product(%a, %b) : (memref<13x37xf32>, memref<37x29xf32>) -> memref<13x29xf32>
  %t = call @transposed(%a) : (memref<13x37xf32>) -> memref<13x13xf32>
  %d = call @per_channel(%a) : (memref<13x37xf32>) -> memref<1x5x17x2xf32>
  %n = call @nchw(%a) : (memref<13x37xf32>) -> memref<1x3x4x16xf32>
  %s = call @softmax(%a) : (memref<13x37xf32>) -> memref<13x37xf32>
  %x = call @bytes(%a) : (memref<13x37xf32>) -> memref<13x37xi8>
  %q = call @products_of_bytes(%x) : (memref<13x37xi8>) -> memref<13x13xi32>
  %m:2 = call @numbers(%a) : (memref<13x37xf32>) -> (memref<13x37xf32>, memref<13x37xi64>)
  %pf = memref.collapse_shape %p [[0, 1]] : memref<13x29xf32> into memref<377xf32>
  %tf = memref.collapse_shape %t [[0, 1]] : memref<13x13xf32> into memref<169xf32>
  %df = memref.collapse_shape %d [[0, 1, 2, 3]] : memref<1x5x17x2xf32> into memref<170xf32>
  %nf = memref.collapse_shape %n [[0, 1, 2, 3]] : memref<1x3x4x16xf32> into memref<192xf32>
  %sf = memref.collapse_shape %s [[0, 1]] : memref<13x37xf32> into memref<481xf32>
  %mf = memref.collapse_shape %m#0 [[0, 1]] : memref<13x37xf32> into memref<481xf32>
  %l = call @last(%a) : (memref<13x37xf32>) -> memref<13xf32>
  %ld = memref.cast %l : memref<13xf32> to memref<?xf32>
  call @show(%ld) : (memref<?xf32>) -> ()
  %pd = memref.cast %pf : memref<377xf32> to memref<?xf32>
  %td = memref.cast %tf : memref<169xf32> to memref<?xf32>
  %dd = memref.cast %df : memref<170xf32> to memref<?xf32>
  %nd = memref.cast %nf : memref<192xf32> to memref<?xf32>
  %sd = memref.cast %sf : memref<481xf32> to memref<?xf32>
  %md = memref.cast %mf : memref<481xf32> to memref<?xf32>
  call @show(%pd) : (memref<?xf32>) -> ()
  call @show(%td) : (memref<?xf32>) -> ()
  call @show(%dd) : (memref<?xf32>) -> ()
  call @show(%nd) : (memref<?xf32>) -> ()
  call @show(%sd) : (memref<?xf32>) -> ()
  call @show(%md) : (memref<?xf32>) -> ()
  scf.for %i = %c0 to %c13 step %c1 {
    scf.for %j = %c0 to %c13 step %c1 {
      %v = memref.load %q[%i, %j] : memref<13x13xi32>
      %w = arith.extsi %v : i32 to i64
      func.call @show_number(%w) : (i64) -> ()
    }
    scf.for %j = %c0 to %c37 step %c1 {
      %w = memref.load %m#1[%i, %j] : memref<13x37xi64>
      func.call @show_number(%w) : (i64) -> ()
    }
  }
  return
}
