// The pointwise convolution in the layout of TensorFlow.
func.func @main(%x: tensor<1x5x5x8xf32>, %w: tensor<1x1x8x4xf32>) -> tensor<1x5x5x4xf32> {
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x5x5x4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x5x5x8xf32>, tensor<1x1x8x4xf32>) outs(%1 : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  return %2 : tensor<1x5x5x4xf32>
}
