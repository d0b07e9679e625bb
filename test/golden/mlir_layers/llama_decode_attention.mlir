// Attention of one new token of LLaMA, heads of 128, over the tokens before it.
module attributes {torch.debug_module_name = "llama_decode_attention"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%q: tensor<4x1x128xf32>, %k: tensor<4x24x128xf32>, %v: tensor<4x24x128xf32>) -> tensor<4x1x128xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x1x24xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x1x24xf32>) -> tensor<4x1x24xf32>
    %2 = linalg.batch_matmul_transpose_b ins(%q, %k : tensor<4x1x128xf32>, tensor<4x24x128xf32>) outs(%1 : tensor<4x1x24xf32>) -> tensor<4x1x24xf32>
    %3 = tensor.empty() : tensor<4x1x24xf32>
    %4 = linalg.softmax dimension(2) ins(%2 : tensor<4x1x24xf32>) outs(%3 : tensor<4x1x24xf32>) -> tensor<4x1x24xf32>
    %5 = tensor.empty() : tensor<4x1x128xf32>
    %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<4x1x128xf32>) -> tensor<4x1x128xf32>
    %7 = linalg.batch_matmul ins(%4, %v : tensor<4x1x24xf32>, tensor<4x24x128xf32>) outs(%6 : tensor<4x1x128xf32>) -> tensor<4x1x128xf32>
    return %7 : tensor<4x1x128xf32>
  }
}
