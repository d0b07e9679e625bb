// Scaled and masked attention scores of all heads of BERT.
module attributes {torch.debug_module_name = "bert_scores"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%q: tensor<3x8x16xf32>, %k: tensor<3x8x16xf32>, %m: tensor<8xf32>) -> tensor<3x8x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<3x8x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %2 = linalg.batch_matmul_transpose_b ins(%q, %k : tensor<3x8x16xf32>, tensor<3x8x16xf32>) outs(%1 : tensor<3x8x8xf32>) -> tensor<3x8x8xf32>
    %scale = arith.constant 2.500000e-01 : f32
    %3 = tensor.empty() : tensor<3x8x8xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %m : tensor<3x8x8xf32>, tensor<8xf32>) outs(%3 : tensor<3x8x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %v = arith.mulf %in, %scale : f32
      %r = arith.addf %v, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<3x8x8xf32>
    return %4 : tensor<3x8x8xf32>
  }
}
