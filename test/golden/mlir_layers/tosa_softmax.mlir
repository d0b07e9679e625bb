// tosa softmax, small.
func.func @main(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = tosa.reduce_max %x {axis = 1 : i32} : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %1 = tosa.sub %x, %0 : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %2 = tosa.exp %1 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %4 = tosa.reciprocal %3 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %5 = tosa.mul %2, %4 {shift = 0 : i8} : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %5 : tensor<2x8xf32>
}
