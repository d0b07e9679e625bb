#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @linear(%x: tensor<7x16xf32>, %w: tensor<12x16xf32>, %b: tensor<12xf32>) -> tensor<7x12xf32> {
  %cst = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x12xf32>
  %f = linalg.fill ins(%cst : f32) outs(%e : tensor<7x12xf32>) -> tensor<7x12xf32>
  %m = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %w : tensor<7x16xf32>, tensor<12x16xf32>) outs(%f : tensor<7x12xf32>) -> tensor<7x12xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%m, %b : tensor<7x12xf32>, tensor<12xf32>) outs(%e : tensor<7x12xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %0 = arith.addf %in, %in_0 : f32
    linalg.yield %0 : f32
  } -> tensor<7x12xf32>
  return %r : tensor<7x12xf32>
}
