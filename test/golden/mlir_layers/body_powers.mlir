// Powers and logarithms of positive numbers.
func.func @main(%x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %one = arith.constant 1.5 : f32
  %half = arith.constant 0.5 : f32
  %m = arith.constant -1.0 : f32
  %0 = tensor.empty() : tensor<32xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<32xf32>, tensor<32xf32>) outs(%0 : tensor<32xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %p = arith.addf %in, %one : f32
    %a = math.powf %p, %in_0 : f32
    %b = math.powf %p, %half : f32
    %c = math.powf %p, %m : f32
    %d = math.exp2 %in_0 : f32
    %e = math.log2 %p : f32
    %f = math.log1p %p : f32
    %g = math.expm1 %in : f32
    %s0 = arith.addf %a, %b : f32
    %s1 = arith.addf %c, %d : f32
    %s2 = arith.addf %e, %f : f32
    %s3 = arith.addf %s0, %s1 : f32
    %s4 = arith.addf %s2, %g : f32
    %s5 = arith.addf %s3, %s4 : f32
    linalg.yield %s5 : f32
  } -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
