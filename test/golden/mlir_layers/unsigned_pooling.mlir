// Unsigned max and min pooling of bytes.
func.func @main(%x: tensor<1x6x6x2xi8>) -> (tensor<1x3x3x2xi8>, tensor<1x3x3x2xi8>) {
  %c0 = arith.constant 0 : i8
  %c255 = arith.constant -1 : i8
  %w = tensor.empty() : tensor<2x2xi8>
  %0 = tensor.empty() : tensor<1x3x3x2xi8>
  %1 = linalg.fill ins(%c0 : i8) outs(%0 : tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi8>
  %2 = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x6x6x2xi8>, tensor<2x2xi8>) outs(%1 : tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi8>
  %3 = linalg.fill ins(%c255 : i8) outs(%0 : tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi8>
  %4 = linalg.pooling_nhwc_min_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x6x6x2xi8>, tensor<2x2xi8>) outs(%3 : tensor<1x3x3x2xi8>) -> tensor<1x3x3x2xi8>
  return %2, %4 : tensor<1x3x3x2xi8>, tensor<1x3x3x2xi8>
}
