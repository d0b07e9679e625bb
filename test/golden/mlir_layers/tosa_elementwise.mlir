// Elementwise ops and reductions of TOSA with broadcasts.
func.func @main(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>) -> tensor<4x1xf32> {
  %0 = tosa.add %x, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %1 = tosa.mul %0, %x {shift = 0 : i8} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tosa.exp %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %4 : tensor<4x1xf32>
}
