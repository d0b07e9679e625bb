func.func @brgemm(%x: memref<4x5x8xf32>, %w: memref<4x8x6xf32>, %o: memref<5x6xf32>) {
  linalg.batch_reduce_matmul
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                       affine_map<(b, m, n, k) -> (b, k, n)>,
                       affine_map<(b, m, n, k) -> (m, n)>]
      ins(%x, %w : memref<4x5x8xf32>, memref<4x8x6xf32>)
      outs(%o : memref<5x6xf32>)
  return
}
