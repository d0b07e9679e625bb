// tosa gather, small.
func.func @main(%x: tensor<1x10x4xf32>) -> tensor<1x3x4xf32> {
  %i = "tosa.const"() <{value = dense<[[1, 9, 4]]> : tensor<1x3xi32>}> : () -> tensor<1x3xi32>
  %0 = tosa.gather %x, %i : (tensor<1x10x4xf32>, tensor<1x3xi32>) -> tensor<1x3x4xf32>
  %1 = tosa.erf %0 : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  return %1 : tensor<1x3x4xf32>
}
