// The network of network.mlir in TOSA.

func.func @classify(%x: tensor<1x34x34x1xf32>) -> tensor<1x3xf32> {
  %w0 = "tosa.const"() {values = dense<[
    [[[-0.25], [0.0], [0.25]], [[-0.5], [0.0], [0.5]], [[-0.25], [0.0], [0.25]]],
    [[[-0.25], [-0.5], [-0.25]], [[0.0], [0.0], [0.0]], [[0.25], [0.5], [0.25]]],
    [[[-0.5], [-0.25], [0.0]], [[-0.25], [0.0], [0.25]], [[0.0], [0.25], [0.5]]],
    [[[0.0], [0.25], [0.5]], [[-0.25], [0.0], [0.25]], [[-0.5], [-0.25], [0.0]]]]> : tensor<4x3x3x1xf32>} : () -> tensor<4x3x3x1xf32>
  %b0 = "tosa.const"() {values = dense<[-0.25, -0.25, -0.5, -0.5]> : tensor<4xf32>} : () -> tensor<4xf32>
  %w1 = "tosa.const"() {values = dense<[
    [[[1.0, -0.5, 0.25, 0.25]]], [[[-0.5, 1.0, 0.25, 0.25]]], [[[0.25, 0.25, 1.0, -0.5]]],
    [[[0.25, 0.25, -0.5, 1.0]]], [[[0.5, 0.5, 0.5, 0.5]]], [[[-1.0, -1.0, 1.0, 1.0]]]]> : tensor<6x1x1x4xf32>} : () -> tensor<6x1x1x4xf32>
  %b1 = "tosa.const"() {values = dense<[0.0, 0.0, 0.125, 0.125, -0.5, 0.25]> : tensor<6xf32>} : () -> tensor<6xf32>
  %w2 = "tosa.const"() {values = dense<[
    [[[1.0, -0.5, 0.25, 0.25, 0.5, -1.0]]], [[[-0.5, 1.0, 0.25, 0.25, 0.5, -1.0]]],
    [[[-0.25, -0.25, 1.0, 1.0, -0.5, 0.5]]]]> : tensor<3x1x1x6xf32>} : () -> tensor<3x1x1x6xf32>
  %b2 = "tosa.const"() {values = dense<[0.0, 0.0, -0.25]> : tensor<3xf32>} : () -> tensor<3xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %count = "tosa.const"() {values = dense<0.00390625> : tensor<1x1x1x1xf32>} : () -> tensor<1x1x1x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %flat = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>

  %0 = tosa.conv2d %x, %w0, %b0, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x34x34x1xf32>, tensor<4x3x3x1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x32x32x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 0x7F800000 : f32} : (tensor<1x32x32x4xf32>) -> tensor<1x32x32x4xf32>
  %2 = tosa.max_pool2d %1 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x32x32x4xf32>) -> tensor<1x16x16x4xf32>
  %3 = tosa.conv2d %2, %w1, %b1, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x16x16x4xf32>, tensor<6x1x1x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16x6xf32>
  %4 = tosa.clamp %3 {min_val = 0.0 : f32, max_val = 0x7F800000 : f32} : (tensor<1x16x16x6xf32>) -> tensor<1x16x16x6xf32>
  %5 = tosa.reduce_sum %4 {axis = 1 : i32} : (tensor<1x16x16x6xf32>) -> tensor<1x1x16x6xf32>
  %6 = tosa.reduce_sum %5 {axis = 2 : i32} : (tensor<1x1x16x6xf32>) -> tensor<1x1x1x6xf32>
  %7 = tosa.mul %6, %count, %shift : (tensor<1x1x1x6xf32>, tensor<1x1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x1x6xf32>
  %8 = tosa.conv2d %7, %w2, %b2, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x1x1x6xf32>, tensor<3x1x1x6xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x3xf32>
  %9 = tosa.reshape %8, %flat : (tensor<1x1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32>
  return %9 : tensor<1x3xf32>
}
