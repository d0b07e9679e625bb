func.func @tensor_expand_shape(%a: tensor<32xf16>) -> tensor<4x8xf16> {
  %r = tensor.expand_shape %a [[0, 1]] output_shape [4, 8] : tensor<32xf16> into tensor<4x8xf16>
  %e = tensor.empty() : tensor<4x8xf16>
  %s = linalg.exp ins(%r : tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %s : tensor<4x8xf16>
}
