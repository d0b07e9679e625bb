func.func @main(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = tensor.extract_slice %x[6] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}
