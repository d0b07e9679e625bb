// depthwise conv 2d nhwc hwcm, small.
func.func @main(%a: tensor<1x6x6x2xf32>, %b: tensor<3x3x2x3xf32>) -> tensor<1x4x4x2x3xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x2x3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x2x3xf32>) -> tensor<1x4x4x2x3xf32>
  %r = linalg.depthwise_conv_2d_nhwc_hwcm  ins(%a, %b : tensor<1x6x6x2xf32>, tensor<3x3x2x3xf32>) outs(%f : tensor<1x4x4x2x3xf32>) -> tensor<1x4x4x2x3xf32>
  return %r : tensor<1x4x4x2x3xf32>
}
