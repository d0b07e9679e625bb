// Heads are split off by expand_shape and transpose, and joined again.
func.func @forward(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %cst = arith.constant 0.0 : f32
  %scale = arith.constant 5.000000e-01 : f32
  %eq = tensor.expand_shape %q [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  %ek = tensor.expand_shape %k [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  %ev = tensor.expand_shape %v [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %tq = linalg.transpose ins(%eq : tensor<4x2x4xf32>) outs(%e : tensor<2x4x4xf32>) permutation = [1, 0, 2]
  %tk = linalg.transpose ins(%ek : tensor<4x2x4xf32>) outs(%e : tensor<2x4x4xf32>) permutation = [1, 2, 0]
  %tv = linalg.transpose ins(%ev : tensor<4x2x4xf32>) outs(%e : tensor<2x4x4xf32>) permutation = [1, 0, 2]
  %z = linalg.fill ins(%cst : f32) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %s = linalg.batch_matmul ins(%tq, %tk : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%z : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x4x4xf32>) outs(%e : tensor<2x4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %scale : f32
    linalg.yield %m : f32
  } -> tensor<2x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%sc : tensor<2x4x4xf32>) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %o = linalg.batch_matmul ins(%p, %tv : tensor<2x4x4xf32>, tensor<2x4x4xf32>) outs(%z : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %e2 = tensor.empty() : tensor<4x2x4xf32>
  %to = linalg.transpose ins(%o : tensor<2x4x4xf32>) outs(%e2 : tensor<4x2x4xf32>) permutation = [1, 0, 2]
  %c = tensor.collapse_shape %to [[0], [1, 2]] : tensor<4x2x4xf32> into tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}
