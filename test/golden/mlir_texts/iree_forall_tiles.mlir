func.func @tiles(%x: tensor<24x32xf32>, %w: tensor<32x16xf32>, %o: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %r = scf.forall (%i, %j) = (0, 0) to (24, 16) step (8, 8) shared_outs(%acc = %o) -> (tensor<24x16xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [8, 32] [1, 1] : tensor<24x32xf32> to tensor<8x32xf32>
    %b = tensor.extract_slice %w[0, %j] [32, 8] [1, 1] : tensor<32x16xf32> to tensor<32x8xf32>
    %c = tensor.extract_slice %acc[%i, %j] [8, 8] [1, 1] : tensor<24x16xf32> to tensor<8x8xf32>
    %m = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x8xf32>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %acc[%i, %j] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<24x16xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<24x16xf32>
}
