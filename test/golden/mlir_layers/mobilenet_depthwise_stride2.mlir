// A depthwise convolution of MobileNet that halves the image.
module attributes {torch.debug_module_name = "mobilenet_depthwise_stride2"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x3x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x4x3x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
    %2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%x, %w : tensor<1x4x8x8xf32>, tensor<4x3x3xf32>) outs(%1 : tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
    return %2 : tensor<1x4x3x3xf32>
  }
}
