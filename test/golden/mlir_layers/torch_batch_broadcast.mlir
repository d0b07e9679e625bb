func.func @bmm(%x: tensor<3x5x8xf32>, %w: tensor<8x6xf32>) -> tensor<3x5x6xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5x6xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  %r = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                       affine_map<(b, m, n, k) -> (k, n)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %w : tensor<3x5x8xf32>, tensor<8x6xf32>)
      outs(%f : tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}
