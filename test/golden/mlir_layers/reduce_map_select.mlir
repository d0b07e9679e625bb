// linalg.map, reduce, transpose, broadcast and select.
func.func @main(%x: tensor<4x8xf32>, %m: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
  %b = linalg.broadcast ins(%m : tensor<8xf32>) outs(%e : tensor<8x4xf32>) dimensions = [1]
  %s = linalg.map { arith.subf } ins(%t, %b : tensor<8x4xf32>, tensor<8x4xf32>) outs(%e : tensor<8x4xf32>)
  %v = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.maximumf } ins(%s : tensor<8x4xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
  return %r : tensor<8xf32>
}
