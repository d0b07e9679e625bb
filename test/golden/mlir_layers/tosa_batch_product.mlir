// A product of TOSA per head, scaled.
func.func @main(%q: tensor<3x8x16xf32>, %k: tensor<3x16x8xf32>) -> tensor<3x8x8xf32> {
  %s = "tosa.const"() <{value = dense<2.500000e-01> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %0 = tosa.matmul %q, %k : (tensor<3x8x16xf32>, tensor<3x16x8xf32>) -> tensor<3x8x8xf32>
  %1 = tosa.mul %0, %s {shift = 0 : i8} : (tensor<3x8x8xf32>, tensor<1x1x1xf32>) -> tensor<3x8x8xf32>
  return %1 : tensor<3x8x8xf32>
}
