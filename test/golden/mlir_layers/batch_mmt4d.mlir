// batch mmt4d, small.
func.func @main(%a: tensor<2x2x3x4x5xf32>, %b: tensor<2x3x3x2x5xf32>) -> tensor<2x2x3x4x2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2x3x4x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x2x3x4x2xf32>) -> tensor<2x2x3x4x2xf32>
  %r = linalg.batch_mmt4d  ins(%a, %b : tensor<2x2x3x4x5xf32>, tensor<2x3x3x2x5xf32>) outs(%f : tensor<2x2x3x4x2xf32>) -> tensor<2x2x3x4x2xf32>
  return %r : tensor<2x2x3x4x2xf32>
}
