// Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program puts into memory by itself stays there as it was, also where the tensor is updated in place afterwards:
// eliminate-empty-tensors would compute the tensor in that memory.

// RUN: %python "%root/model/executed.py" %s | FileCheck %s
// CHECK: 4 pipelines, 0 differ

// RUN: stowage-opt --prepare-model %s | FileCheck %s --check-prefix=COPY
// COPY: %[[V:.*]] = linalg.exp
// COPY-NEXT: %[[B:.*]] = bufferization.to_buffer %[[V]] read_only : tensor<8xf32> to memref<8xf32>
// COPY-NEXT: memref.copy %[[B]], %{{.*}} : memref<8xf32> to memref<8xf32, strided<[1], offset: 8>>

memref.global "private" @memory : memref<16xf32>

func.func public @net(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c3 = arith.constant 3 : index
  %memory = memref.get_global @memory : memref<16xf32>
  %half = memref.subview %memory[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %e = tensor.empty() : tensor<8xf32>
  %v = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  bufferization.materialize_in_destination %v in restrict writable %half : (tensor<8xf32>, memref<8xf32, strided<[1], offset: 8>>) -> ()
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : tensor<8xf32>) outs(%v : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %kept = memref.load %half[%c3] : memref<8xf32, strided<[1], offset: 8>>
  %r = tensor.insert %kept into %w[%c3] : tensor<8xf32>
  return %w, %r : tensor<8xf32>, tensor<8xf32>
}
