// An inverted residual of MobileNetV2: expand, depthwise, project, shortcut.
module attributes {torch.debug_module_name = "mobilenet_inverted_residual"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x4x6x6xf32>, %we: tensor<12x4x1x1xf32>, %wd: tensor<12x3x3xf32>, %wp: tensor<4x12x1x1xf32>) -> tensor<1x4x6x6xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %six = arith.constant 6.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x12x6x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x12x6x6xf32>) -> tensor<1x12x6x6xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%x, %we : tensor<1x4x6x6xf32>, tensor<12x4x1x1xf32>) outs(%1 : tensor<1x12x6x6xf32>) -> tensor<1x12x6x6xf32>
    %3 = tensor.empty() : tensor<1x12x6x6xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x12x6x6xf32>) outs(%3 : tensor<1x12x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %lo = arith.cmpf ult, %in, %cst : f32
      %v = arith.select %lo, %cst, %in : f32
      %hi = arith.cmpf ugt, %v, %six : f32
      %r = arith.select %hi, %six, %v : f32
      linalg.yield %r : f32
    } -> tensor<1x12x6x6xf32>
    %5 = tensor.pad %4 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a6: index, %b6: index, %c6: index, %d6: index):
      tensor.yield %cst : f32
    } : tensor<1x12x6x6xf32> to tensor<1x12x8x8xf32>
    %6 = tensor.empty() : tensor<1x12x6x6xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<1x12x6x6xf32>) -> tensor<1x12x6x6xf32>
    %8 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%5, %wd : tensor<1x12x8x8xf32>, tensor<12x3x3xf32>) outs(%7 : tensor<1x12x6x6xf32>) -> tensor<1x12x6x6xf32>
    %9 = tensor.empty() : tensor<1x12x6x6xf32>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8 : tensor<1x12x6x6xf32>) outs(%9 : tensor<1x12x6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %lo = arith.cmpf ult, %in, %cst : f32
      %v = arith.select %lo, %cst, %in : f32
      %hi = arith.cmpf ugt, %v, %six : f32
      %r = arith.select %hi, %six, %v : f32
      linalg.yield %r : f32
    } -> tensor<1x12x6x6xf32>
    %11 = tensor.empty() : tensor<1x4x6x6xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    %13 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%10, %wp : tensor<1x12x6x6xf32>, tensor<4x12x1x1xf32>) outs(%12 : tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
    %14 = tensor.empty() : tensor<1x4x6x6xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%13, %x : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) outs(%14 : tensor<1x4x6x6xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x4x6x6xf32>
    return %15 : tensor<1x4x6x6xf32>
  }
}
