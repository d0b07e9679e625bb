func.func @main(%A: tensor<4x8xf32>, %B: tensor<9x6xf32>, %C: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%A, %B : tensor<4x8xf32>, tensor<9x6xf32>) outs(%C : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
