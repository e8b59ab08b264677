// The network of network.mlir in TOSA with numbers of 8 bits, as a converter writes it of a quantized TensorFlow Lite model. Of the image 16 is
// one; scores are without a sign, and 128 is zero.

func.func @classify(%x: tensor<1x34x34x1xi8>) -> (tensor<1x3xui8> {stowage.unsigned}) {
  %w0 = "tosa.const"() {values = dense<[
    [[[-1], [0], [1]], [[-2], [0], [2]], [[-1], [0], [1]]], [[[-1], [-2], [-1]], [[0], [0], [0]], [[1], [2], [1]]],
    [[[-2], [-1], [0]], [[-1], [0], [1]], [[0], [1], [2]]], [[[0], [1], [2]], [[-1], [0], [1]], [[-2], [-1], [0]]]]> : tensor<4x3x3x1xi8>} : () -> tensor<4x3x3x1xi8>
  %b0 = "tosa.const"() {values = dense<[-16, -16, -32, -32]> : tensor<4xi32>} : () -> tensor<4xi32>
  %w1 = "tosa.const"() {values = dense<[
    [[[4, -2, 1, 1]]], [[[-2, 4, 1, 1]]], [[[1, 1, 4, -2]]], [[[1, 1, -2, 4]]], [[[2, 2, 2, 2]]], [[[-4, -4, 4, 4]]]]> : tensor<6x1x1x4xi8>} : () -> tensor<6x1x1x4xi8>
  %b1 = "tosa.const"() {values = dense<[0, 0, 8, 8, -32, 16]> : tensor<6xi32>} : () -> tensor<6xi32>
  %w2 = "tosa.const"() {values = dense<[
    [[[4, -2, 1, 1, 2, -4]]], [[[-2, 4, 1, 1, 2, -4]]], [[[-1, -1, 4, 4, -2, 2]]]]> : tensor<3x1x1x6xi8>} : () -> tensor<3x1x1x6xi8>
  %b2 = "tosa.const"() {values = dense<[0, 0, -256]> : tensor<3xi32>} : () -> tensor<3xi32>
  %zero = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %wide_zero = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %middle = "tosa.const"() {values = dense<128> : tensor<1xui8>} : () -> tensor<1xui8>
  %half = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %by_1 = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
  %by_4 = "tosa.const"() {values = dense<32> : tensor<1xi8>} : () -> tensor<1xi8>
  %by_64 = "tosa.const"() {values = dense<36> : tensor<1xi8>} : () -> tensor<1xi8>
  %flat = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>

  %0 = tosa.conv2d %x, %w0, %b0, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x34x34x1xi8>, tensor<4x3x3x1xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x32x32x4xi32>
  %1 = tosa.rescale %0, %half, %by_4, %wide_zero, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<1x32x32x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x32x32x4xi8>
  %2 = tosa.clamp %1 {min_val = 0 : i8, max_val = 127 : i8} : (tensor<1x32x32x4xi8>) -> tensor<1x32x32x4xi8>
  %3 = tosa.max_pool2d %2 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<1x32x32x4xi8>) -> tensor<1x16x16x4xi8>
  %4 = tosa.conv2d %3, %w1, %b1, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x16x16x4xi8>, tensor<6x1x1x4xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x16x16x6xi32>
  %5 = tosa.rescale %4, %half, %by_1, %wide_zero, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<1x16x16x6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x16x16x6xi8>
  %6 = tosa.clamp %5 {min_val = 0 : i8, max_val = 127 : i8} : (tensor<1x16x16x6xi8>) -> tensor<1x16x16x6xi8>
  %7 = tosa.rescale %6, %half, %by_1, %zero, %wide_zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<1x16x16x6xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x16x16x6xi32>
  %8 = tosa.reduce_sum %7 {axis = 1 : i32} : (tensor<1x16x16x6xi32>) -> tensor<1x1x16x6xi32>
  %9 = tosa.reduce_sum %8 {axis = 2 : i32} : (tensor<1x1x16x6xi32>) -> tensor<1x1x1x6xi32>
  %10 = tosa.rescale %9, %half, %by_64, %wide_zero, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<1x1x1x6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x6xi8>
  %11 = tosa.conv2d %10, %w2, %b2, %zero, %zero {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x1x1x6xi8>, tensor<3x1x1x6xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x3xi32>
  %12 = tosa.rescale %11, %half, %by_4, %wide_zero, %zero {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true}
      : (tensor<1x1x1x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x3xi8>
  %13 = tosa.rescale %12, %half, %by_1, %zero, %middle {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}
      : (tensor<1x1x1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xui8>) -> tensor<1x1x1x3xui8>
  %14 = tosa.reshape %13, %flat : (tensor<1x1x1x3xui8>, !tosa.shape<2>) -> tensor<1x3xui8>
  return %14 : tensor<1x3xui8>
}
