func.func @tensor_extract_slice(%a: tensor<32xf16>) -> tensor<8xf16> {
  %r = tensor.extract_slice %a[4] [8] [2] : tensor<32xf16> to tensor<8xf16>
  %e = tensor.empty() : tensor<8xf16>
  %s = linalg.exp ins(%r : tensor<8xf16>) outs(%e : tensor<8xf16>) -> tensor<8xf16>
  return %s : tensor<8xf16>
}
