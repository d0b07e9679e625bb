// x * relu6(x + 3) / 6 as one body.
func.func @forward(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %six = arith.constant 6.0 : f32
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x16xf32>) outs(%0 : tensor<4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %three : f32
    %b = arith.maximumf %a, %zero : f32
    %c = arith.minimumf %b, %six : f32
    %d = arith.divf %c, %six : f32
    %e = arith.mulf %in, %d : f32
    linalg.yield %e : f32
  } -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
