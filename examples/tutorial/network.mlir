// A small image classifier as linalg on tensors: four edge detectors, a pool, a layer of 1 x 1 convolutions, the mean of each
// channel, and a dense layer. An image of 34 x 34 in, three scores out: horizontal stripes, vertical, diagonal.

#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#row = affine_map<(d0, d1) -> (d0, d1)>

func.func @classify(%x: tensor<1x34x34x1xf32>) -> tensor<1x3xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %count = arith.constant 256.0 : f32
  %w0 = arith.constant dense<[
    [[[-0.25, -0.25, -0.5, 0.0]], [[0.0, -0.5, -0.25, 0.25]], [[0.25, -0.25, 0.0, 0.5]]],
    [[[-0.5, 0.0, -0.25, -0.25]], [[0.0, 0.0, 0.0, 0.0]], [[0.5, 0.0, 0.25, 0.25]]],
    [[[-0.25, 0.25, 0.0, -0.5]], [[0.0, 0.5, 0.25, -0.25]], [[0.25, 0.25, 0.5, 0.0]]]]> : tensor<3x3x1x4xf32>
  %b0 = arith.constant dense<[-0.25, -0.25, -0.5, -0.5]> : tensor<4xf32>
  %w1 = arith.constant dense<[[[
    [1.0, -0.5, 0.25, 0.25, 0.5, -1.0], [-0.5, 1.0, 0.25, 0.25, 0.5, -1.0],
    [0.25, 0.25, 1.0, -0.5, 0.5, 1.0], [0.25, 0.25, -0.5, 1.0, 0.5, 1.0]]]]> : tensor<1x1x4x6xf32>
  %b1 = arith.constant dense<[0.0, 0.0, 0.125, 0.125, -0.5, 0.25]> : tensor<6xf32>
  %w2 = arith.constant dense<[
    [1.0, -0.5, -0.25], [-0.5, 1.0, -0.25], [0.25, 0.25, 1.0],
    [0.25, 0.25, 1.0], [0.5, 0.5, -0.5], [-1.0, -1.0, 0.5]]> : tensor<6x3xf32>
  %b2 = arith.constant dense<[[0.0, 0.0, -0.25]]> : tensor<1x3xf32>

  // Edges: 3 x 3 convolutions, and what is positive of them.
  %edges = tensor.empty() : tensor<1x32x32x4xf32>
  %0 = linalg.broadcast ins(%b0 : tensor<4xf32>) outs(%edges : tensor<1x32x32x4xf32>) dimensions = [0, 1, 2]
  %1 = linalg.conv_2d_nhwc_hwcf ins(%x, %w0 : tensor<1x34x34x1xf32>, tensor<3x3x1x4xf32>)
      outs(%0 : tensor<1x32x32x4xf32>) -> tensor<1x32x32x4xf32>
  %2 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%1 : tensor<1x32x32x4xf32>) outs(%edges : tensor<1x32x32x4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %positive = arith.maximumf %a, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<1x32x32x4xf32>

  // The strongest of each 2 x 2.
  %window = tensor.empty() : tensor<2x2xf32>
  %pool = tensor.empty() : tensor<1x16x16x4xf32>
  %3 = linalg.fill ins(%lowest : f32) outs(%pool : tensor<1x16x16x4xf32>) -> tensor<1x16x16x4xf32>
  %4 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
      ins(%2, %window : tensor<1x32x32x4xf32>, tensor<2x2xf32>) outs(%3 : tensor<1x16x16x4xf32>) -> tensor<1x16x16x4xf32>

  // A mix of the four at each place.
  %mix = tensor.empty() : tensor<1x16x16x6xf32>
  %5 = linalg.broadcast ins(%b1 : tensor<6xf32>) outs(%mix : tensor<1x16x16x6xf32>) dimensions = [0, 1, 2]
  %6 = linalg.conv_2d_nhwc_hwcf ins(%4, %w1 : tensor<1x16x16x4xf32>, tensor<1x1x4x6xf32>)
      outs(%5 : tensor<1x16x16x6xf32>) -> tensor<1x16x16x6xf32>
  %7 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%6 : tensor<1x16x16x6xf32>) outs(%mix : tensor<1x16x16x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %positive = arith.maximumf %a, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<1x16x16x6xf32>

  // Their means, and a dense layer.
  %means = tensor.empty() : tensor<1x6xf32>
  %8 = linalg.fill ins(%zero : f32) outs(%means : tensor<1x6xf32>) -> tensor<1x6xf32>
  %9 = linalg.generic {indexing_maps = [#image, #channel], iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%7 : tensor<1x16x16x6xf32>) outs(%8 : tensor<1x6xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %more = arith.addf %sum, %a : f32
    linalg.yield %more : f32
  } -> tensor<1x6xf32>
  %10 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%9 : tensor<1x6xf32>) outs(%means : tensor<1x6xf32>) {
  ^bb0(%a: f32, %out: f32):
    %mean = arith.divf %a, %count : f32
    linalg.yield %mean : f32
  } -> tensor<1x6xf32>
  %11 = linalg.matmul ins(%10, %w2 : tensor<1x6xf32>, tensor<6x3xf32>) outs(%b2 : tensor<1x3xf32>) -> tensor<1x3xf32>
  return %11 : tensor<1x3xf32>
}
