// pooling nwc min unsigned, small.
func.func @main(%a: tensor<1x8x2xi16>, %b: tensor<2xi16>) -> tensor<1x4x2xi16> {
  %z = arith.constant 0 : i16
  %e = tensor.empty() : tensor<1x4x2xi16>
  %f = linalg.fill ins(%z : i16) outs(%e : tensor<1x4x2xi16>) -> tensor<1x4x2xi16>
  %r = linalg.pooling_nwc_min_unsigned {strides = dense<2> : tensor<1xi64>} ins(%a, %b : tensor<1x8x2xi16>, tensor<2xi16>) outs(%f : tensor<1x4x2xi16>) -> tensor<1x4x2xi16>
  return %r : tensor<1x4x2xi16>
}
