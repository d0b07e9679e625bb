// A tiled matrix product as IREE writes it: scf.forall with results.
// not written: a kernel that an unnamed fill becomes takes the name of another
func.func @main(%A: tensor<8x16xf32>, %B: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (8, 8) step (4, 4) shared_outs(%o = %e) -> (tensor<8x8xf32>) {
    %a = tensor.extract_slice %A[%i, 0] [4, 16] [1, 1] : tensor<8x16xf32> to tensor<4x16xf32>
    %b = tensor.extract_slice %B[0, %j] [16, 4] [1, 1] : tensor<16x8xf32> to tensor<16x4xf32>
    %c = tensor.extract_slice %o[%i, %j] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
    %z = linalg.fill ins(%c0 : f32) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    %p = linalg.matmul ins(%a, %b : tensor<4x16xf32>, tensor<16x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
    }
  }
  return %r : tensor<8x8xf32>
}
