// One token through the last projection of LLaMA, which is a matrix times a vector.
module attributes {torch.debug_module_name = "llama_lm_head"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%w: tensor<96x128xf32>, %x: tensor<128xf32>) -> tensor<96xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<96xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<96xf32>) -> tensor<96xf32>
    %2 = linalg.matvec ins(%w, %x : tensor<96x128xf32>, tensor<128xf32>) outs(%1 : tensor<96xf32>) -> tensor<96xf32>
    return %2 : tensor<96xf32>
  }
}
