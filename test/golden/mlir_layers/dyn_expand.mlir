// pimento: --size x:0=8
func.func @main(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %p = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %e = tensor.empty(%d) : tensor<?x2x3xf32>
  %r = linalg.exp ins(%p : tensor<?x2x3xf32>) outs(%e : tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
  return %r : tensor<?x2x3xf32>
}
