// The pooler of BERT: the first token through a linear layer and tanh.
module attributes {torch.debug_module_name = "bert_pooler"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x8x24xf32>, %w: tensor<24x24xf32>, %b: tensor<24xf32>) -> tensor<1x24xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.extract_slice %x[0, 0, 0] [1, 1, 24] [1, 1, 1] : tensor<1x8x24xf32> to tensor<1x24xf32>
    %1 = tensor.empty() : tensor<24x24xf32>
    %2 = linalg.transpose ins(%w : tensor<24x24xf32>) outs(%1 : tensor<24x24xf32>) permutation = [1, 0]
    %3 = tensor.empty() : tensor<1x24xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x24xf32>) -> tensor<1x24xf32>
    %5 = linalg.matmul ins(%0, %2 : tensor<1x24xf32>, tensor<24x24xf32>) outs(%4 : tensor<1x24xf32>) -> tensor<1x24xf32>
    %6 = tensor.empty() : tensor<1x24xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5, %b : tensor<1x24xf32>, tensor<24xf32>) outs(%6 : tensor<1x24xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x24xf32>
    %8 = tensor.empty() : tensor<1x24xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<1x24xf32>) outs(%8 : tensor<1x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = math.tanh %in : f32
      linalg.yield %r : f32
    } -> tensor<1x24xf32>
    return %9 : tensor<1x24xf32>
  }
}
