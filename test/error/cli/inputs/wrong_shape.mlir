func.func @gemv(%A: tensor<4x8xf16>, %x: tensor<9xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = linalg.matvec ins(%A, %x : tensor<4x8xf16>, tensor<9xf16>) outs(%y : tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
