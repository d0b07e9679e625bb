--size x:1=3
func.func @f(%x: tensor<2x?xf32>, %b: tensor<?xf32>) -> (tensor<2x?xf32>, tensor<?xf32>) {
  %one = arith.constant 1 : index
  %n = tensor.dim %x, %one : tensor<2x?xf32>
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %r = linalg.exp ins(%x : tensor<2x?xf32>) outs(%e : tensor<2x?xf32>) -> tensor<2x?xf32>
  %c = tensor.cast %r : tensor<2x?xf32> to tensor<?x?xf32>
  %s = linalg.reduce { arith.maximumf } ins(%c : tensor<?x?xf32>) outs(%b : tensor<?xf32>) dimensions = [1]
  return %r, %s : tensor<2x?xf32>, tensor<?xf32>
}
