// pimento: --size arg0:2=9,arg0:3=11
#map = affine_map<(d0, d1, d2, d3) -> (d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module attributes {torch.debug_module_name = "Conv"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<1x3x?x?xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<4xf32>) -> tensor<1x4x?x?xf32> {
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, %c1, %c1] high[0, 0, %c1, %c1] {
    ^bb0(%b0: index, %b1: index, %b2: index, %b3: index):
      tensor.yield %cst : f32
    } : tensor<1x3x?x?xf32> to tensor<1x3x?x?xf32>
    %dim = tensor.dim %arg0, %c2 : tensor<1x3x?x?xf32>
    %dim_0 = tensor.dim %arg0, %c3 : tensor<1x3x?x?xf32>
    %0 = tensor.empty(%dim, %dim_0) : tensor<1x4x?x?xf32>
    %broadcasted = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<4xf32>) outs(%0 : tensor<1x4x?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x4x?x?xf32>
    %1 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg1 : tensor<1x3x?x?xf32>, tensor<4x3x3x3xf32>) outs(%broadcasted : tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
    return %1 : tensor<1x4x?x?xf32>
  }
}
