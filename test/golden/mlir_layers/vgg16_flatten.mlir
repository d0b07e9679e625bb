// The image flattened to a row in front of the linear layers of VGG16.
func.func @forward(%x: tensor<1x4x3x3xf32>, %w: tensor<36x10xf32>) -> tensor<1x10xf32> {
  %cst = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<1x4x3x3xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x3x3xf32>) outs(%e : tensor<1x4x3x3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %two : f32
    linalg.yield %s : f32
  } -> tensor<1x4x3x3xf32>
  %collapsed = tensor.collapse_shape %y [[0], [1, 2, 3]] : tensor<1x4x3x3xf32> into tensor<1x36xf32>
  %0 = tensor.empty() : tensor<1x10xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x10xf32>) -> tensor<1x10xf32>
  %2 = linalg.matmul ins(%collapsed, %w : tensor<1x36xf32>, tensor<36x10xf32>) outs(%1 : tensor<1x10xf32>) -> tensor<1x10xf32>
  return %2 : tensor<1x10xf32>
}
