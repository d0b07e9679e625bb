// A block of VGG16: two convolutions with biases and relu, max pooling.
module attributes {torch.debug_module_name = "vgg16_block"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x4x6x6xf32>, %w1: tensor<8x4x3x3xf32>, %bias1: tensor<8xf32>, %w2: tensor<8x8x3x3xf32>, %bias2: tensor<8xf32>) -> tensor<1x8x3x3xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a1: index, %b1: index, %c1: index, %d1: index):
      tensor.yield %cst : f32
    } : tensor<1x4x6x6xf32> to tensor<1x4x8x8xf32>
    %1 = tensor.empty() : tensor<1x8x6x6xf32>
    %2 = linalg.broadcast ins(%bias1 : tensor<8xf32>) outs(%1 : tensor<1x8x6x6xf32>) dimensions = [0, 2, 3]
    %3 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%0, %w1 : tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>) outs(%2 : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %4 = tensor.empty() : tensor<1x8x6x6xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x8x6x6xf32>) outs(%4 : tensor<1x8x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x8x6x6xf32>
    %6 = tensor.pad %5 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a7: index, %b7: index, %c7: index, %d7: index):
      tensor.yield %cst : f32
    } : tensor<1x8x6x6xf32> to tensor<1x8x8x8xf32>
    %7 = tensor.empty() : tensor<1x8x6x6xf32>
    %8 = linalg.broadcast ins(%bias2 : tensor<8xf32>) outs(%7 : tensor<1x8x6x6xf32>) dimensions = [0, 2, 3]
    %9 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%6, %w2 : tensor<1x8x8x8xf32>, tensor<8x8x3x3xf32>) outs(%8 : tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32>
    %10 = tensor.empty() : tensor<1x8x6x6xf32>
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<1x8x6x6xf32>) outs(%10 : tensor<1x8x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x8x6x6xf32>
    %low = arith.constant 0xFF800000 : f32
    %12 = tensor.empty() : tensor<1x8x3x3xf32>
    %13 = linalg.fill ins(%low : f32) outs(%12 : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
    %14 = tensor.empty() : tensor<2x2xf32>
    %15 = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<2> : vector<2xi64>} ins(%11, %14 : tensor<1x8x6x6xf32>, tensor<2x2xf32>) outs(%13 : tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
    return %15 : tensor<1x8x3x3xf32>
  }
}
