// Attention weights times values, heads joined, and the output projection.
module attributes {torch.debug_module_name = "bert_context"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%p: tensor<3x8x8xf32>, %v: tensor<3x8x16xf32>, %w: tensor<48x48xf32>, %b: tensor<48xf32>) -> tensor<8x48xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x8x16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
    %2 = linalg.batch_matmul ins(%p, %v : tensor<3x8x8xf32>, tensor<3x8x16xf32>) outs(%1 : tensor<3x8x16xf32>) -> tensor<3x8x16xf32>
    %3 = tensor.empty() : tensor<8x3x16xf32>
    %4 = linalg.transpose ins(%2 : tensor<3x8x16xf32>) outs(%3 : tensor<8x3x16xf32>) permutation = [1, 0, 2]
    %5 = tensor.collapse_shape %4 [[0], [1, 2]] : tensor<8x3x16xf32> into tensor<8x48xf32>
    %6 = tensor.empty() : tensor<48x48xf32>
    %7 = linalg.transpose ins(%w : tensor<48x48xf32>) outs(%6 : tensor<48x48xf32>) permutation = [1, 0]
    %8 = tensor.empty() : tensor<8x48xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<8x48xf32>) -> tensor<8x48xf32>
    %10 = linalg.matmul ins(%5, %7 : tensor<8x48xf32>, tensor<48x48xf32>) outs(%9 : tensor<8x48xf32>) -> tensor<8x48xf32>
    %11 = tensor.empty() : tensor<8x48xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%10, %b : tensor<8x48xf32>, tensor<48xf32>) outs(%11 : tensor<8x48xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<8x48xf32>
    return %12 : tensor<8x48xf32>
  }
}
