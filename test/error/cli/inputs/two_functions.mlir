func.func @one(%x: tensor<8xf16>, %z: tensor<8xf16>) -> tensor<8xf16> {
  %0 = linalg.exp ins(%x : tensor<8xf16>) outs(%z : tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
func.func @two(%x: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%z : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
