func.func @tensor_collapse_shape(%a: tensor<4x8xf16>) -> tensor<32xf16> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf16> into tensor<32xf16>
  %e = tensor.empty() : tensor<32xf16>
  %s = linalg.exp ins(%r : tensor<32xf16>) outs(%e : tensor<32xf16>) -> tensor<32xf16>
  return %s : tensor<32xf16>
}
