// The first block of a stage of ResNet-18: strides of 2, and a convolution in the shortcut.
module attributes {torch.debug_module_name = "resnet18_downsample"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x8x7x7xf32>, %w1: tensor<16x8x3x3xf32>, %w2: tensor<16x16x3x3xf32>, %ws: tensor<16x8x1x1xf32>) -> tensor<1x16x4x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a1: index, %b1: index, %c1: index, %d1: index):
      tensor.yield %cst : f32
    } : tensor<1x8x7x7xf32> to tensor<1x8x9x9xf32>
    %1 = tensor.empty() : tensor<1x16x4x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%0, %w1 : tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) outs(%2 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %4 = tensor.empty() : tensor<1x16x4x4xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x16x4x4xf32>) outs(%4 : tensor<1x16x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x16x4x4xf32>
    %6 = tensor.pad %5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a7: index, %b7: index, %c7: index, %d7: index):
      tensor.yield %cst : f32
    } : tensor<1x16x4x4xf32> to tensor<1x16x6x6xf32>
    %7 = tensor.empty() : tensor<1x16x4x4xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %9 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%6, %w2 : tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32>) outs(%8 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %10 = tensor.empty() : tensor<1x16x4x4xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %12 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%x, %ws : tensor<1x8x7x7xf32>, tensor<16x8x1x1xf32>) outs(%11 : tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %13 = tensor.empty() : tensor<1x16x4x4xf32>
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9, %12 : tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) outs(%13 : tensor<1x16x4x4xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x16x4x4xf32>
    %15 = tensor.empty() : tensor<1x16x4x4xf32>
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14 : tensor<1x16x4x4xf32>) outs(%15 : tensor<1x16x4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x16x4x4xf32>
    return %16 : tensor<1x16x4x4xf32>
  }
}
