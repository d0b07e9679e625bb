// The query projection of BERT: a linear layer, split into heads.
module attributes {torch.debug_module_name = "bert_query"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<8x24xf32>, %w: tensor<24x24xf32>, %b: tensor<24xf32>) -> tensor<3x8x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<24x24xf32>
    %1 = linalg.transpose ins(%w : tensor<24x24xf32>) outs(%0 : tensor<24x24xf32>) permutation = [1, 0]
    %2 = tensor.empty() : tensor<8x24xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x24xf32>) -> tensor<8x24xf32>
    %4 = linalg.matmul ins(%x, %1 : tensor<8x24xf32>, tensor<24x24xf32>) outs(%3 : tensor<8x24xf32>) -> tensor<8x24xf32>
    %5 = tensor.empty() : tensor<8x24xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4, %b : tensor<8x24xf32>, tensor<24xf32>) outs(%5 : tensor<8x24xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<8x24xf32>
    %7 = tensor.expand_shape %6 [[0], [1, 2]] output_shape [8, 3, 8] : tensor<8x24xf32> into tensor<8x3x8xf32>
    %8 = tensor.empty() : tensor<3x8x8xf32>
    %9 = linalg.transpose ins(%7 : tensor<8x3x8xf32>) outs(%8 : tensor<3x8x8xf32>) permutation = [1, 0, 2]
    return %9 : tensor<3x8x8xf32>
  }
}
