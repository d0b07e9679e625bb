func.func @main(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  return %x : tensor<8xcomplex<f32>>
}
