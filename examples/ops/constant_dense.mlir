func.func @constant_dense(%a: tensor<4xf16>) -> tensor<4xf16> {
  %w = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf16>
  %e = tensor.empty() : tensor<4xf16>
  %s = linalg.add ins(%a, %w : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xf16>) -> tensor<4xf16>
  return %s : tensor<4xf16>
}
