// A mask from the indices of the loops, in a body of i1.
#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @forward(%x: tensor<8x8xf32>, %keep: tensor<8x8xi1>) -> tensor<8x8xf32> {
  %low = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %keep : tensor<8x8xf32>, tensor<8x8xi1>) outs(%0 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %in_0: i1, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %past = arith.cmpi sle, %j, %i : index
    %true = arith.constant true
    %not = arith.xori %in_0, %true : i1
    %both = arith.andi %past, %not : i1
    %same = arith.cmpi eq, %both, %past : i1
    %5 = arith.select %same, %in, %low : f32
    linalg.yield %5 : f32
  } -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
