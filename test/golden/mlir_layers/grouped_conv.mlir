// A convolution of groups.
func.func @main(%x: tensor<1x2x3x6x6xf32>, %w: tensor<2x4x3x3x3xf32>) -> tensor<1x2x4x4x4xf32> {
  %c0 = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x2x4x4x4xf32>
  %1 = linalg.fill ins(%c0 : f32) outs(%0 : tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32>
  %2 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x2x3x6x6xf32>, tensor<2x4x3x3x3xf32>) outs(%1 : tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32>
  return %2 : tensor<1x2x4x4x4xf32>
}
