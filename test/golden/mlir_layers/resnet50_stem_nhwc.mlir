// The stem of ResNet-50 in the layout of TensorFlow and IREE: 7x7, stride 2.
module attributes {torch.debug_module_name = "resnet50_stem_nhwc"} {
  func.func @forward(%x: tensor<1x14x14x3xf32>, %w: tensor<7x7x3x8xf32>) -> tensor<1x7x7x8xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.pad %x low[0, 3, 3, 0] high[0, 3, 3, 0] {
    ^bb0(%a1: index, %b1: index, %c1: index, %d1: index):
      tensor.yield %cst : f32
    } : tensor<1x14x14x3xf32> to tensor<1x20x20x3xf32>
    %1 = tensor.empty() : tensor<1x7x7x8xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
    %3 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%0, %w : tensor<1x20x20x3xf32>, tensor<7x7x3x8xf32>) outs(%2 : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
    return %3 : tensor<1x7x7x8xf32>
  }
}
