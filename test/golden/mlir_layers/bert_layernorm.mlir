// Layer normalization: mean, variance, rsqrt, scale and shift.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
func.func @forward(%x: tensor<1x4x16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<1x4x16xf32> {
  %cst = arith.constant 0.0 : f32
  %n = arith.constant 1.6e+01 : f32
  %eps = arith.constant 9.99999996E-13 : f32
  %0 = tensor.empty() : tensor<1x4x1xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<1x4x16xf32>) outs(%1 : tensor<1x4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<1x4x1xf32>) outs(%0 : tensor<1x4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.divf %in, %n : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1xf32>
  %4 = tensor.empty() : tensor<1x4x16xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %3 : tensor<1x4x16xf32>, tensor<1x4x1xf32>) outs(%4 : tensor<1x4x16xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.subf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<1x4x16xf32>
  %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<1x4x16xf32>) outs(%1 : tensor<1x4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.mulf %in, %in : f32
    %s = arith.addf %out, %q : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1xf32>
  %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<1x4x1xf32>) outs(%0 : tensor<1x4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.divf %in, %n : f32
    %e = arith.addf %v, %eps : f32
    %s = math.rsqrt %e : f32
    linalg.yield %s : f32
  } -> tensor<1x4x1xf32>
  %8 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %7, %g, %b : tensor<1x4x16xf32>, tensor<1x4x1xf32>, tensor<16xf32>, tensor<16xf32>) outs(%4 : tensor<1x4x16xf32>) {
  ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %out: f32):
    %p = arith.mulf %in, %in_0 : f32
    %q = arith.mulf %p, %in_1 : f32
    %s = arith.addf %q, %in_2 : f32
    linalg.yield %s : f32
  } -> tensor<1x4x16xf32>
  return %8 : tensor<1x4x16xf32>
}
