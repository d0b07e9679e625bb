// Two convolutions with a shortcut: pads, adds, relu.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @forward(%x: tensor<1x4x5x5xf32>, %w1: tensor<4x4x3x3xf32>, %w2: tensor<4x4x3x3xf32>) -> tensor<1x4x5x5xf32> {
  %cst = arith.constant 0.0 : f32
  %p1 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %cst : f32
  } : tensor<1x4x5x5xf32> to tensor<1x4x7x7xf32>
  %0 = tensor.empty() : tensor<1x4x5x5xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p1, %w1 : tensor<1x4x7x7xf32>, tensor<4x4x3x3xf32>) outs(%1 : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x4x5x5xf32>) outs(%0 : tensor<1x4x5x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %r = arith.maximumf %in, %cst : f32
    linalg.yield %r : f32
  } -> tensor<1x4x5x5xf32>
  %p2 = tensor.pad %3 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %cst : f32
  } : tensor<1x4x5x5xf32> to tensor<1x4x7x7xf32>
  %4 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p2, %w2 : tensor<1x4x7x7xf32>, tensor<4x4x3x3xf32>) outs(%1 : tensor<1x4x5x5xf32>) -> tensor<1x4x5x5xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %x : tensor<1x4x5x5xf32>, tensor<1x4x5x5xf32>) outs(%0 : tensor<1x4x5x5xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    %r = arith.maximumf %s, %cst : f32
    linalg.yield %r : f32
  } -> tensor<1x4x5x5xf32>
  return %5 : tensor<1x4x5x5xf32>
}
