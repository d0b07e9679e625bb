// A linear layer of TOSA with its weights as constants, an activation and a reshape.
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = "tosa.const"() <{value = dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5], [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0], [-1.0, 2.0, -3.0, 4.0, -5.0, 6.0, -7.0, 8.0]]> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
  %b = "tosa.const"() <{value = dense<[0.1, 0.2, 0.3, 0.4]> : tensor<4xf32>}> : () -> tensor<4xf32>
  %0 = tosa.fully_connected %x, %w, %b : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = tosa.sigmoid %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
