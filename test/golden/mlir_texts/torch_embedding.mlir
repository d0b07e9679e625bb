#map = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @forward(%arg0: tensor<12xi64>, %arg1: tensor<32x16xf32>) -> tensor<12x16xf32> {
    %c31 = arith.constant 31 : i64
    %0 = tensor.empty() : tensor<12x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<12xi64>) outs(%0 : tensor<12x16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %m = arith.andi %in, %c31 : i64
      %2 = arith.index_cast %m : i64 to index
      %3 = linalg.index 1 : index
      %extracted = tensor.extract %arg1[%2, %3] : tensor<32x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<12x16xf32>
    return %1 : tensor<12x16xf32>
  }
}
