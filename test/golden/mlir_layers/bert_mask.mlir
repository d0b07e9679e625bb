// An attention mask: i1 tensors, select.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<4x4xf32>, %m: tensor<4x4xi64>) -> tensor<4x4xf32> {
  %low = arith.constant -1.0e+04 : f32
  %zero = arith.constant 0 : i64
  %0 = tensor.empty() : tensor<4x4xi1>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<4x4xi64>) outs(%0 : tensor<4x4xi1>) {
  ^bb0(%in: i64, %out: i1):
    %2 = arith.cmpi sgt, %in, %zero : i64
    linalg.yield %2 : i1
  } -> tensor<4x4xi1>
  %3 = tensor.empty() : tensor<4x4xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %x : tensor<4x4xi1>, tensor<4x4xf32>) outs(%3 : tensor<4x4xf32>) {
  ^bb0(%in: i1, %in_0: f32, %out: f32):
    %5 = arith.select %in, %in_0, %low : f32
    linalg.yield %5 : f32
  } -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
