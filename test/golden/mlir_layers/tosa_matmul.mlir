// A product, a transpose and slices of TOSA in integers.
func.func @main(%x: tensor<2x4x8xi8>, %y: tensor<2x8x4xi8>) -> tensor<2x4x4xi32> {
  %0 = tosa.matmul %x, %y : (tensor<2x4x8xi8>, tensor<2x8x4xi8>) -> tensor<2x4x4xi32>
  %p = "tosa.const"() <{value = dense<[0, 2, 1]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %1 = tosa.transpose %0, %p : (tensor<2x4x4xi32>, tensor<3xi32>) -> tensor<2x4x4xi32>
  return %1 : tensor<2x4x4xi32>
}
