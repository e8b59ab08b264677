// The network of network.mlir in the form that torch-mlir prints, as linalg on tensors. A layer of torch has its
// weights transposed.

#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module attributes {torch.debug_module_name = "Classifier"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @classify(%arg0: tensor<1x4xf32>) -> tensor<1x3xf32> {
    %cst = arith.constant dense<[[0.5, 0.25, -1.0, 0.5], [-0.25, 0.5, 0.25, 1.0], [1.0, -0.5, 0.5, -0.25], [0.125, 1.0, -0.75, 0.25], [-1.0, 0.5, 1.0, -0.5], [0.75, -0.125, 0.5, 1.0]]> : tensor<6x4xf32>
    %cst_0 = arith.constant dense<[0.25, -0.5, 0.125, 0.0, 1.0, -0.25]> : tensor<6xf32>
    %cst_1 = arith.constant dense<[[1.0, 0.5, -0.25, 0.125, 0.5, -1.0], [-0.5, 0.75, 1.0, -1.0, 0.25, 0.5], [0.25, -1.0, 0.5, 1.0, -0.75, 0.125]]> : tensor<3x6xf32>
    %cst_2 = arith.constant dense<[0.5, -0.25, 0.0]> : tensor<3xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x6xf32>
    %transposed = linalg.transpose ins(%cst : tensor<6x4xf32>) outs(%0 : tensor<4x6xf32>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<1x6xf32>
    %2 = linalg.fill ins(%cst_3 : f32) outs(%1 : tensor<1x6xf32>) -> tensor<1x6xf32>
    %3 = linalg.matmul ins(%arg0, %transposed : tensor<1x4xf32>, tensor<4x6xf32>) outs(%2 : tensor<1x6xf32>) -> tensor<1x6xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %cst_0 : tensor<1x6xf32>, tensor<6xf32>) outs(%1 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %11 = arith.addf %in, %in_4 : f32
      linalg.yield %11 : f32
    } -> tensor<1x6xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<1x6xf32>) outs(%1 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.cmpf ugt, %in, %cst_3 : f32
      %12 = arith.select %11, %in, %cst_3 : f32
      linalg.yield %12 : f32
    } -> tensor<1x6xf32>
    %6 = tensor.empty() : tensor<6x3xf32>
    %transposed_4 = linalg.transpose ins(%cst_1 : tensor<3x6xf32>) outs(%6 : tensor<6x3xf32>) permutation = [1, 0]
    %7 = tensor.empty() : tensor<1x3xf32>
    %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %9 = linalg.matmul ins(%5, %transposed_4 : tensor<1x6xf32>, tensor<6x3xf32>) outs(%8 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%9, %cst_2 : tensor<1x3xf32>, tensor<3xf32>) outs(%7 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %11 = arith.addf %in, %in_5 : f32
      linalg.yield %11 : f32
    } -> tensor<1x3xf32>
    return %10 : tensor<1x3xf32>
  }
}
