// conv 3d ncdhw fcdhw, small.
func.func @main(%a: tensor<1x2x4x4x4xf32>, %b: tensor<3x2x3x3x3xf32>) -> tensor<1x3x2x2x2xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x2x2x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x2x2xf32>
  %r = linalg.conv_3d_ncdhw_fcdhw  ins(%a, %b : tensor<1x2x4x4x4xf32>, tensor<3x2x3x3x3xf32>) outs(%f : tensor<1x3x2x2x2xf32>) -> tensor<1x3x2x2x2xf32>
  return %r : tensor<1x3x2x2x2xf32>
}
