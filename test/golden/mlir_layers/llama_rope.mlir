// Rotary embedding: two halves are sliced, one negated, and both concatenated; cos and sin of the position.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
func.func @forward(%x: tensor<4x8xf32>, %freq: tensor<8xf32>) -> tensor<4x8xf32> {
  %lo = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %hi = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %neg = linalg.negf ins(%hi : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %rot = tensor.concat dim(1) %neg, %lo : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %0 = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%x, %rot, %freq : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) outs(%0 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %in_0: f32, %in_1: f32, %out: f32):
    %i = linalg.index 0 : index
    %p = arith.index_cast %i : index to i32
    %f = arith.sitofp %p : i32 to f32
    %a = arith.mulf %f, %in_1 : f32
    %c = math.cos %a : f32
    %s = math.sin %a : f32
    %u = arith.mulf %in, %c : f32
    %v = arith.mulf %in_0, %s : f32
    %r = arith.addf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
