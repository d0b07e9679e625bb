func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "toy.frobnicate"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
