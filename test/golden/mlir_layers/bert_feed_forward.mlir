// The feed-forward part of BERT: linear, gelu, linear.
module attributes {torch.debug_module_name = "bert_feed_forward"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<4x16xf32>, %w1: tensor<64x16xf32>, %b1: tensor<64xf32>, %w2: tensor<16x64xf32>, %b2: tensor<16xf32>) -> tensor<4x16xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %half = arith.constant 5.000000e-01 : f32
    %one = arith.constant 1.000000e+00 : f32
    %c1 = arith.constant 0.797884583 : f32
    %c2 = arith.constant 4.471500e-02 : f32
    %0 = tensor.empty() : tensor<16x64xf32>
    %1 = linalg.transpose ins(%w1 : tensor<64x16xf32>) outs(%0 : tensor<16x64xf32>) permutation = [1, 0]
    %2 = tensor.empty() : tensor<4x64xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %4 = linalg.matmul ins(%x, %1 : tensor<4x16xf32>, tensor<16x64xf32>) outs(%3 : tensor<4x64xf32>) -> tensor<4x64xf32>
    %5 = tensor.empty() : tensor<4x64xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4, %b1 : tensor<4x64xf32>, tensor<64xf32>) outs(%5 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<4x64xf32>
    %7 = tensor.empty() : tensor<4x64xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<4x64xf32>) outs(%7 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %sq = arith.mulf %in, %in : f32
      %cu = arith.mulf %sq, %in : f32
      %a = arith.mulf %cu, %c2 : f32
      %b = arith.addf %in, %a : f32
      %c = arith.mulf %b, %c1 : f32
      %t = math.tanh %c : f32
      %u = arith.addf %t, %one : f32
      %h = arith.mulf %in, %half : f32
      %r = arith.mulf %h, %u : f32
      linalg.yield %r : f32
    } -> tensor<4x64xf32>
    %9 = tensor.empty() : tensor<64x16xf32>
    %10 = linalg.transpose ins(%w2 : tensor<16x64xf32>) outs(%9 : tensor<64x16xf32>) permutation = [1, 0]
    %11 = tensor.empty() : tensor<4x16xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %13 = linalg.matmul ins(%8, %10 : tensor<4x64xf32>, tensor<64x16xf32>) outs(%12 : tensor<4x16xf32>) -> tensor<4x16xf32>
    %14 = tensor.empty() : tensor<4x16xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13, %b2 : tensor<4x16xf32>, tensor<16xf32>) outs(%14 : tensor<4x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<4x16xf32>
    return %15 : tensor<4x16xf32>
  }
}
