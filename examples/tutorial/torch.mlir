// The network of network.mlir in the form that torch-mlir prints, as linalg on tensors: channels come before rows.

#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @classify(%arg0: tensor<1x1x34x34xf32>) -> tensor<1x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
    %cst_2 = arith.constant dense_resource<torch_tensor_3_6_torch.float32> : tensor<3x6xf32>
    %cst_3 = arith.constant dense_resource<torch_tensor_6_torch.float32> : tensor<6xf32>
    %cst_4 = arith.constant dense_resource<torch_tensor_6_4_1_1_torch.float32> : tensor<6x4x1x1xf32>
    %cst_5 = arith.constant dense_resource<torch_tensor_4_1_3_3_torch.float32> : tensor<4x1x3x3xf32>
    %cst_6 = arith.constant dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>
    %cst_7 = arith.constant 2.560000e+02 : f32
    %0 = tensor.empty() : tensor<1x4x32x32xf32>
    %broadcasted = linalg.broadcast ins(%cst_6 : tensor<4xf32>) outs(%0 : tensor<1x4x32x32xf32>) dimensions = [0, 2, 3] 
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %cst_5 : tensor<1x1x34x34xf32>, tensor<4x1x3x3xf32>) outs(%broadcasted : tensor<1x4x32x32xf32>) -> tensor<1x4x32x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1 : tensor<1x4x32x32xf32>) outs(%0 : tensor<1x4x32x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.cmpf ugt, %in, %cst : f32
      %21 = arith.select %20, %in, %cst : f32
      linalg.yield %21 : f32
    } -> tensor<1x4x32x32xf32>
    %3 = tensor.empty() : tensor<1x4x16x16xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
    %5 = tensor.empty() : tensor<2x2xf32>
    %6 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%2, %5 : tensor<1x4x32x32xf32>, tensor<2x2xf32>) outs(%4 : tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
    %7 = tensor.empty() : tensor<1x6x16x16xf32>
    %broadcasted_8 = linalg.broadcast ins(%cst_3 : tensor<6xf32>) outs(%7 : tensor<1x6x16x16xf32>) dimensions = [0, 2, 3] 
    %8 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%6, %cst_4 : tensor<1x4x16x16xf32>, tensor<6x4x1x1xf32>) outs(%broadcasted_8 : tensor<1x6x16x16xf32>) -> tensor<1x6x16x16xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<1x6x16x16xf32>) outs(%7 : tensor<1x6x16x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.cmpf ugt, %in, %cst : f32
      %21 = arith.select %20, %in, %cst : f32
      linalg.yield %21 : f32
    } -> tensor<1x6x16x16xf32>
    %10 = tensor.empty() : tensor<1x6xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x6xf32>) -> tensor<1x6xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%9 : tensor<1x6x16x16xf32>) outs(%11 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %in, %out : f32
      linalg.yield %20 : f32
    } -> tensor<1x6xf32>
    %13 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<1x6xf32>) outs(%10 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %cst_7 : f32
      linalg.yield %20 : f32
    } -> tensor<1x6xf32>
    %14 = tensor.empty() : tensor<6x3xf32>
    %transposed = linalg.transpose ins(%cst_2 : tensor<3x6xf32>) outs(%14 : tensor<6x3xf32>) permutation = [1, 0] 
    %15 = tensor.empty() : tensor<1x3xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %17 = linalg.matmul ins(%13, %transposed : tensor<1x6xf32>, tensor<6x3xf32>) outs(%16 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map2], iterator_types = ["parallel", "parallel"]} ins(%cst_1 : tensor<3xf32>) outs(%15 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x3xf32>
    %19 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<1x3xf32>, tensor<1x3xf32>) outs(%15 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %20 = arith.addf %in, %in_9 : f32
      linalg.yield %20 : f32
    } -> tensor<1x3xf32>
    return %19 : tensor<1x3xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32: "0x040000000000000000000000000080BE",
      torch_tensor_3_6_torch.float32: "0x040000000000803F000000BF0000803E0000803E0000003F000080BF000000BF0000803F0000803E0000803E0000003F000080BF000080BE000080BE0000803F0000803F000000BF0000003F",
      torch_tensor_6_torch.float32: "0x0400000000000000000000000000003E0000003E000000BF0000803E",
      torch_tensor_6_4_1_1_torch.float32: "0x040000000000803F000000BF0000803E0000803E000000BF0000803F0000803E0000803E0000803E0000803E0000803F000000BF0000803E0000803E000000BF0000803F0000003F0000003F0000003F0000003F000080BF000080BF0000803F0000803F",
      torch_tensor_4_1_3_3_torch.float32: "0x04000000000080BE000000000000803E000000BF000000000000003F000080BE000000000000803E000080BE000000BF000080BE0000000000000000000000000000803E0000003F0000803E000000BF000080BE00000000000080BE000000000000803E000000000000803E0000003F000000000000803E0000003F000080BE000000000000803E000000BF000080BE00000000",
      torch_tensor_4_torch.float32: "0x04000000000080BE000080BE000000BF000000BF"
    }
  }
#-}
