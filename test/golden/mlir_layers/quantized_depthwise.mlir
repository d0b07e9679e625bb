// A quantised depthwise convolution.
func.func @main(%x: tensor<1x6x6x3xi8>, %w: tensor<3x3x3xi8>) -> tensor<1x4x4x3xi32> {
  %zx = arith.constant 3 : i32
  %zw = arith.constant 0 : i32
  %c0 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<1x4x4x3xi32>
  %1 = linalg.fill ins(%c0 : i32) outs(%0 : tensor<1x4x4x3xi32>) -> tensor<1x4x4x3xi32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %zx, %zw : tensor<1x6x6x3xi8>, tensor<3x3x3xi8>, i32, i32) outs(%1 : tensor<1x4x4x3xi32>) -> tensor<1x4x4x3xi32>
  return %2 : tensor<1x4x4x3xi32>
}
