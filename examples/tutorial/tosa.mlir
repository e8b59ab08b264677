// The network of network.mlir in TOSA.

func.func @classify(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %w0 = "tosa.const"() {values = dense<[[[0.5, -0.25, 1.0, 0.125, -1.0, 0.75], [0.25, 0.5, -0.5, 1.0, 0.5, -0.125], [-1.0, 0.25, 0.5, -0.75, 1.0, 0.5], [0.5, 1.0, -0.25, 0.25, -0.5, 1.0]]]> : tensor<1x4x6xf32>} : () -> tensor<1x4x6xf32>
  %b0 = "tosa.const"() {values = dense<[[[0.25, -0.5, 0.125, 0.0, 1.0, -0.25]]]> : tensor<1x1x6xf32>} : () -> tensor<1x1x6xf32>
  %w1 = "tosa.const"() {values = dense<[[[1.0, -0.5, 0.25], [0.5, 0.75, -1.0], [-0.25, 1.0, 0.5], [0.125, -1.0, 1.0], [0.5, 0.25, -0.75], [-1.0, 0.5, 0.125]]]> : tensor<1x6x3xf32>} : () -> tensor<1x6x3xf32>
  %b1 = "tosa.const"() {values = dense<[[[0.5, -0.25, 0.0]]]> : tensor<1x1x3xf32>} : () -> tensor<1x1x3xf32>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %with_batch = tosa.const_shape {values = dense<[1, 1, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %without = tosa.const_shape {values = dense<[1, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>

  %0 = tosa.reshape %x, %with_batch : (tensor<1x4xf32>, !tosa.shape<3>) -> tensor<1x1x4xf32>
  %1 = tosa.matmul %0, %w0, %zero, %zero
      : (tensor<1x1x4xf32>, tensor<1x4x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x6xf32>
  %2 = tosa.add %1, %b0 : (tensor<1x1x6xf32>, tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
  %3 = tosa.clamp %2 {min_val = 0.0 : f32, max_val = 0x7F800000 : f32} : (tensor<1x1x6xf32>) -> tensor<1x1x6xf32>
  %4 = tosa.matmul %3, %w1, %zero, %zero
      : (tensor<1x1x6xf32>, tensor<1x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3xf32>
  %5 = tosa.add %4, %b1 : (tensor<1x1x3xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %6 = tosa.reshape %5, %without : (tensor<1x1x3xf32>, !tosa.shape<2>) -> tensor<1x3xf32>
  return %6 : tensor<1x3xf32>
}
