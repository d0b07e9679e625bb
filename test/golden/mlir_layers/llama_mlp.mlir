// The feed-forward part of LLaMA: gate, up and down projections.
module attributes {torch.debug_module_name = "llama_mlp"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<2x32xf32>, %wg: tensor<32x88xf32>, %wu: tensor<32x88xf32>, %wd: tensor<88x32xf32>) -> tensor<2x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %one = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x88xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x88xf32>) -> tensor<2x88xf32>
    %2 = linalg.matmul ins(%x, %wg : tensor<2x32xf32>, tensor<32x88xf32>) outs(%1 : tensor<2x88xf32>) -> tensor<2x88xf32>
    %3 = tensor.empty() : tensor<2x88xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x88xf32>) -> tensor<2x88xf32>
    %5 = linalg.matmul ins(%x, %wu : tensor<2x32xf32>, tensor<32x88xf32>) outs(%4 : tensor<2x88xf32>) -> tensor<2x88xf32>
    %6 = tensor.empty() : tensor<2x88xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %5 : tensor<2x88xf32>, tensor<2x88xf32>) outs(%6 : tensor<2x88xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %n = arith.negf %in : f32
      %e = math.exp %n : f32
      %d = arith.addf %e, %one : f32
      %s = arith.divf %in, %d : f32
      %r = arith.mulf %s, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<2x88xf32>
    %8 = tensor.empty() : tensor<2x32xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<2x32xf32>) -> tensor<2x32xf32>
    %10 = linalg.matmul ins(%7, %wd : tensor<2x88xf32>, tensor<88x32xf32>) outs(%9 : tensor<2x32xf32>) -> tensor<2x32xf32>
    return %10 : tensor<2x32xf32>
  }
}
