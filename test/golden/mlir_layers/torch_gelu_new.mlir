#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @gelu(%arg0: tensor<1x6x32xf32>) -> tensor<1x6x32xf32> {
  %half = arith.constant 5.000000e-01 : f32
  %one = arith.constant 1.000000e+00 : f32
  %k = arith.constant 0.797884583 : f32
  %c = arith.constant 4.471500e-02 : f32
  %three = arith.constant 3.0 : f32
  %0 = tensor.empty() : tensor<1x6x32xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x6x32xf32>) outs(%0 : tensor<1x6x32xf32>) {
  ^bb0(%in: f32, %out: f32):
    %2 = math.powf %in, %three : f32
    %3 = arith.mulf %2, %c : f32
    %4 = arith.addf %in, %3 : f32
    %5 = arith.mulf %4, %k : f32
    %6 = math.tanh %5 : f32
    %7 = arith.addf %6, %one : f32
    %8 = arith.mulf %in, %half : f32
    %9 = arith.mulf %8, %7 : f32
    linalg.yield %9 : f32
  } -> tensor<1x6x32xf32>
  return %1 : tensor<1x6x32xf32>
}
