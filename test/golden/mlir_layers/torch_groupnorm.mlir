#r = affine_map<(d0, d1, d2) -> (d0, d1)>
#e = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @groupnorm(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 3.200000e+01 : f32
  %eps = arith.constant 9.99999974E-6 : f32
  %g = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<1x8x4x4xf32> into tensor<8x16xf32>
  %h = tensor.expand_shape %g [[0, 1], [2]] output_shape [4, 2, 16] : tensor<8x16xf32> into tensor<4x2x16xf32>
  %f = tensor.collapse_shape %h [[0], [1, 2]] : tensor<4x2x16xf32> into tensor<4x32xf32>
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.reduce ins(%f : tensor<4x32xf32>) outs(%0 : tensor<4xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %s = arith.addf %in, %acc : f32
      linalg.yield %s : f32
    }
  %e2 = tensor.empty() : tensor<4x32xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%f, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.divf %b, %n : f32
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<4x32xf32>
  %sq = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x32xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %q, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%c, %sq : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.divf %b, %n : f32
    %w = arith.addf %v, %eps : f32
    %r = math.rsqrt %w : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<4x32xf32>
  %o1 = tensor.expand_shape %y [[0], [1, 2]] output_shape [4, 2, 16] : tensor<4x32xf32> into tensor<4x2x16xf32>
  %o2 = tensor.collapse_shape %o1 [[0, 1], [2]] : tensor<4x2x16xf32> into tensor<8x16xf32>
  %o3 = tensor.expand_shape %o2 [[0, 1], [2, 3]] output_shape [1, 8, 4, 4] : tensor<8x16xf32> into tensor<1x8x4x4xf32>
  return %o3 : tensor<1x8x4x4xf32>
}
