// depthwise conv 1d nwc wc, small.
func.func @main(%a: tensor<1x8x4xf32>, %b: tensor<3x4xf32>) -> tensor<1x6x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
  %r = linalg.depthwise_conv_1d_nwc_wc  ins(%a, %b : tensor<1x8x4xf32>, tensor<3x4xf32>) outs(%f : tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
  return %r : tensor<1x6x4xf32>
}
