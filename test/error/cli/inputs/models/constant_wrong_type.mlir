func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xi32>
  %e = tensor.empty() : tensor<2xi32>
  %0 = linalg.add ins(%x, %c : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
