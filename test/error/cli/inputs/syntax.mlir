func.func @f(%x: tensor<8xf16>) -> tensor<8xf16> {
  return %x : tensor<8xf16
}
