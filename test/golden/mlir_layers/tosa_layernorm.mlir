func.func @ln(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %s = "tosa.const"() {value = dense<6.250000e-02> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %e = "tosa.const"() {value = dense<9.99999974E-6> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x16xf32>) -> tensor<4x1xf32>
  %1 = tosa.mul %0, %s {shift = 0 : i8} : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %2 = tosa.sub %x, %1 : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  %3 = tosa.mul %2, %2 {shift = 0 : i8} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %4 = tosa.reduce_sum %3 {axis = 1 : i32} : (tensor<4x16xf32>) -> tensor<4x1xf32>
  %5 = tosa.mul %4, %s {shift = 0 : i8} : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %6 = tosa.add %5, %e : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %7 = tosa.rsqrt %6 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = tosa.mul %2, %7 {shift = 0 : i8} : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
  return %8 : tensor<4x16xf32>
}
