// bufferization.alloc_tensor as sparse pipelines print it.
func.func @main(%x: tensor<8x16xf32>, %v: tensor<16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0.0 : f32
  %0 = bufferization.alloc_tensor() : tensor<8xf32>
  %1 = linalg.fill ins(%c0 : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.matvec ins(%x, %v : tensor<8x16xf32>, tensor<16xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
