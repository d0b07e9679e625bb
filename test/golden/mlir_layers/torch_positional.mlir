#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @sinusoid(%x: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %0 = tensor.empty() : tensor<12x16xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<12x16xf32>) outs(%0 : tensor<12x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %one = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %r = arith.andi %j, %one : i32
    %even = arith.cmpi eq, %r, %zero : i32
    %s = math.sin %in : f32
    %c = math.cos %in : f32
    %v = arith.select %even, %s, %c : f32
    linalg.yield %v : f32
  } -> tensor<12x16xf32>
  return %1 : tensor<12x16xf32>
}
