// Two dense layers as linalg on tensors: four numbers in, three out.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

func.func @classify(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %zero = arith.constant 0.0 : f32
  %w0 = arith.constant dense<[[0.5, -0.25, 1.0, 0.125, -1.0, 0.75], [0.25, 0.5, -0.5, 1.0, 0.5, -0.125], [-1.0, 0.25, 0.5, -0.75, 1.0, 0.5], [0.5, 1.0, -0.25, 0.25, -0.5, 1.0]]> : tensor<4x6xf32>
  %b0 = arith.constant dense<[0.25, -0.5, 0.125, 0.0, 1.0, -0.25]> : tensor<6xf32>
  %w1 = arith.constant dense<[[1.0, -0.5, 0.25], [0.5, 0.75, -1.0], [-0.25, 1.0, 0.5], [0.125, -1.0, 1.0], [0.5, 0.25, -0.75], [-1.0, 0.5, 0.125]]> : tensor<6x3xf32>
  %b1 = arith.constant dense<[0.5, -0.25, 0.0]> : tensor<3xf32>

  %0 = tensor.empty() : tensor<1x6xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %2 = linalg.matmul ins(%x, %w0 : tensor<1x4xf32>, tensor<4x6xf32>) outs(%1 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %3 = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%2, %b0 : tensor<1x6xf32>, tensor<6xf32>) outs(%0 : tensor<1x6xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<1x6xf32>

  %4 = tensor.empty() : tensor<1x3xf32>
  %5 = linalg.fill ins(%zero : f32) outs(%4 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %6 = linalg.matmul ins(%3, %w1 : tensor<1x6xf32>, tensor<6x3xf32>) outs(%5 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %7 = linalg.generic {indexing_maps = [#rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%6, %b1 : tensor<1x3xf32>, tensor<3xf32>) outs(%4 : tensor<1x3xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<1x3xf32>
  return %7 : tensor<1x3xf32>
}
