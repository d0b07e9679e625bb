// Depthwise convolution of MobileNet, relu6.
func.func @forward(%x: tensor<1x4x6x6xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6x6xf32> {
  %cst = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %cst : f32
  } : tensor<1x4x6x6xf32> to tensor<1x4x8x8xf32>
  %0 = tensor.empty() : tensor<1x4x6x6xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %w : tensor<1x4x8x8xf32>, tensor<4x3x3xf32>) outs(%1 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x4x6x6xf32>) outs(%0 : tensor<1x4x6x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %lo = arith.cmpf ult, %in, %cst : f32
    %v = arith.select %lo, %cst, %in : f32
    %hi = arith.cmpf ugt, %v, %six : f32
    %r = arith.select %hi, %six, %v : f32
    linalg.yield %r : f32
  } -> tensor<1x4x6x6xf32>
  return %3 : tensor<1x4x6x6xf32>
}
