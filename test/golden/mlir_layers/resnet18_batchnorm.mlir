// Batch normalization in inference as torch-mlir prints it: rsqrt of the variance in the body.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<1x8x4x4xf32>, %weight: tensor<8xf32>, %bias: tensor<8xf32>, %mean: tensor<8xf32>, %var: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
    %cst = arith.constant 1.000000e-05 : f64
    %one = arith.constant 2.000000e+00 : f32
    %0 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %weight, %bias, %mean, %var : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%arg0 : tensor<1x8x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %in_1: f32, %in_2: f32, %in_3: f32, %out: f32):
      %1 = arith.truncf %cst : f64 to f32
      %v = arith.addf %in_3, %one : f32
      %2 = arith.addf %v, %1 : f32
      %3 = math.rsqrt %2 : f32
      %4 = arith.subf %in, %in_2 : f32
      %5 = arith.mulf %4, %3 : f32
      %6 = arith.mulf %5, %in_0 : f32
      %7 = arith.addf %6, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<1x8x4x4xf32>
    return %0 : tensor<1x8x4x4xf32>
  }
}
