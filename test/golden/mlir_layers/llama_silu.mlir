// The gate of LLaMA's feed-forward part: x * sigmoid(x) * y.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x16xf32>, tensor<4x16xf32>) outs(%0 : tensor<4x16xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %2 = arith.negf %in : f32
    %3 = math.exp %2 : f32
    %4 = arith.addf %3, %one : f32
    %5 = arith.divf %one, %4 : f32
    %6 = arith.mulf %in, %5 : f32
    %7 = arith.mulf %6, %in_0 : f32
    linalg.yield %7 : f32
  } -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
