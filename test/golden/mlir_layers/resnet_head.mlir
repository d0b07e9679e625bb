// Mean over the image, flattened, and a linear layer whose weights are transposed first.
func.func @forward(%x: tensor<1x8x4x4xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<1x6xf32> {
  %cst = arith.constant 0.0 : f32
  %n = arith.constant 1.6e+01 : f32
  %0 = tensor.empty() : tensor<1x8x1x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x : tensor<1x8x4x4xf32>) outs(%1 : tensor<1x8x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x8x1x1xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x8x1x1xf32>) outs(%0 : tensor<1x8x1x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.divf %in, %n : f32
    linalg.yield %s : f32
  } -> tensor<1x8x1x1xf32>
  %collapsed = tensor.collapse_shape %3 [[0], [1, 2, 3]] : tensor<1x8x1x1xf32> into tensor<1x8xf32>
  %4 = tensor.empty() : tensor<8x6xf32>
  %transposed = linalg.transpose ins(%w : tensor<6x8xf32>) outs(%4 : tensor<8x6xf32>) permutation = [1, 0]
  %5 = tensor.empty() : tensor<1x6xf32>
  %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %7 = linalg.matmul ins(%collapsed, %transposed : tensor<1x8xf32>, tensor<8x6xf32>) outs(%6 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%7, %b : tensor<1x6xf32>, tensor<6xf32>) outs(%5 : tensor<1x6xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<1x6xf32>
  return %8 : tensor<1x6xf32>
}
