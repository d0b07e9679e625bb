// linalg.softmax over the last dimension.
func.func @forward(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tensor.empty() : tensor<2x4x8xf32>
  %1 = linalg.softmax dimension(2) ins(%x : tensor<2x4x8xf32>) outs(%0 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}
