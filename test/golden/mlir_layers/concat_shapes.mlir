// Concatenation, a reshape and slices with strides.
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x2xf32>) -> tensor<2x8xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %f = tensor.collapse_shape %c [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %g = tensor.expand_shape %f [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
  %s = tensor.extract_slice %g[0, 1] [2, 8] [1, 2] : tensor<2x16xf32> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<2x8xf32>
  %r = linalg.exp ins(%s : tensor<2x8xf32>) outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
