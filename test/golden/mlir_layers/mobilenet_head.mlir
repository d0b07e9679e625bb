// The head of MobileNetV2: mean over the image, a linear layer.
module attributes {torch.debug_module_name = "mobilenet_head"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x16x7x7xf32>, %w: tensor<10x16xf32>, %b: tensor<10xf32>) -> tensor<1x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x16x1x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %2 = tensor.empty() : tensor<7x7xf32>
    %3 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %2 : tensor<1x16x7x7xf32>, tensor<7x7xf32>) outs(%1 : tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32>
    %share = arith.constant 2.040816e-02 : f32
    %4 = tensor.empty() : tensor<1x16x1x1xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x16x1x1xf32>) outs(%4 : tensor<1x16x1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.mulf %in, %share : f32
      linalg.yield %r : f32
    } -> tensor<1x16x1x1xf32>
    %6 = tensor.collapse_shape %5 [[0], [1, 2, 3]] : tensor<1x16x1x1xf32> into tensor<1x16xf32>
    %7 = tensor.empty() : tensor<16x10xf32>
    %8 = linalg.transpose ins(%w : tensor<10x16xf32>) outs(%7 : tensor<16x10xf32>) permutation = [1, 0]
    %9 = tensor.empty() : tensor<1x10xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %11 = linalg.matmul ins(%6, %8 : tensor<1x16xf32>, tensor<16x10xf32>) outs(%10 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %12 = tensor.empty() : tensor<1x10xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%11, %b : tensor<1x10xf32>, tensor<10xf32>) outs(%12 : tensor<1x10xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x10xf32>
    return %13 : tensor<1x10xf32>
  }
}
