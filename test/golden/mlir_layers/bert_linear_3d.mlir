// A linear layer on (batch, tokens, features) as torch-mlir prints it: broadcast weights, batch_matmul, bias.
#map = affine_map<(d0, d1, d2) -> (d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
func.func @forward(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<2x4x6xf32> {
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<8x6xf32>
  %t = linalg.transpose ins(%w : tensor<6x8xf32>) outs(%0 : tensor<8x6xf32>) permutation = [1, 0]
  %1 = tensor.empty() : tensor<2x8x6xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : tensor<8x6xf32>) outs(%1 : tensor<2x8x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x8x6xf32>
  %3 = tensor.empty() : tensor<2x4x6xf32>
  %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %5 = linalg.batch_matmul ins(%x, %2 : tensor<2x4x8xf32>, tensor<2x8x6xf32>) outs(%4 : tensor<2x4x6xf32>) -> tensor<2x4x6xf32>
  %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %b : tensor<2x4x6xf32>, tensor<6xf32>) outs(%3 : tensor<2x4x6xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<2x4x6xf32>
  return %6 : tensor<2x4x6xf32>
}
