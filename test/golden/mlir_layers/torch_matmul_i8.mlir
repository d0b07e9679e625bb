func.func @qmm(%x: tensor<6x16xi8>, %w: tensor<10x16xi8>, %o: tensor<6x10xi32>) -> tensor<6x10xi32> {
  %r = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<6x16xi8>, tensor<10x16xi8>) outs(%o : tensor<6x10xi32>) -> tensor<6x10xi32>
  return %r : tensor<6x10xi32>
}
