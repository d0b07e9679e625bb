// pooling ndhwc sum, small.
func.func @main(%a: tensor<1x4x4x4x2xf32>, %b: tensor<2x2x2xf32>) -> tensor<1x2x2x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x2x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x2x2x2xf32>) -> tensor<1x2x2x2x2xf32>
  %r = linalg.pooling_ndhwc_sum {strides = dense<2> : tensor<3xi64>} ins(%a, %b : tensor<1x4x4x4x2xf32>, tensor<2x2x2xf32>) outs(%f : tensor<1x2x2x2x2xf32>) -> tensor<1x2x2x2x2xf32>
  return %r : tensor<1x2x2x2x2xf32>
}
