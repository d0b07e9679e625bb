// A one-dimensional convolution with another padding on each side.
func.func @forward(%x: tensor<1x2x10xf32>, %w: tensor<4x2x3xf32>) -> tensor<1x4x11xf32> {
  %c0 = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 2] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %c0 : f32
  } : tensor<1x2x10xf32> to tensor<1x2x13xf32>
  %0 = tensor.empty() : tensor<1x4x11xf32>
  %1 = linalg.fill ins(%c0 : f32) outs(%0 : tensor<1x4x11xf32>) -> tensor<1x4x11xf32>
  %2 = linalg.conv_1d_ncw_fcw {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%p, %w : tensor<1x2x13xf32>, tensor<4x2x3xf32>) outs(%1 : tensor<1x4x11xf32>) -> tensor<1x4x11xf32>
  return %2 : tensor<1x4x11xf32>
}
