#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func @forward(%arg0: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x8xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<8x16xf32>) outs(%0 : tensor<16x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16x8xf32>
    %2 = tensor.empty() : tensor<4x8xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = linalg.matmul ins(%arg0, %1 : tensor<4x16xf32>, tensor<16x8xf32>) outs(%3 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %b : tensor<4x8xf32>, tensor<8xf32>) outs(%2 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.addf %in, %in_0 : f32
      %7 = arith.cmpf ugt, %6, %cst : f32
      %8 = arith.select %7, %6, %cst : f32
      linalg.yield %8 : f32
    } -> tensor<4x8xf32>
    return %5 : tensor<4x8xf32>
  }
}
