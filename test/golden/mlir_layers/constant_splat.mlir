// A splat tensor as an operand; an ml_program constant.
ml_program.global private @scale(dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.5> : tensor<4xf32>
  %s = ml_program.global_load_const @scale : tensor<4xf32>
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.mul ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.mul ins(%1, %s : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
