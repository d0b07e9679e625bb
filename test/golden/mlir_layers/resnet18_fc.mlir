// The last layer of ResNet-18, 512 features, with fewer classes.
module attributes {torch.debug_module_name = "resnet18_fc"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x512xf32>, %w: tensor<40x512xf32>, %b: tensor<40xf32>) -> tensor<1x40xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<512x40xf32>
    %1 = linalg.transpose ins(%w : tensor<40x512xf32>) outs(%0 : tensor<512x40xf32>) permutation = [1, 0]
    %2 = tensor.empty() : tensor<1x40xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x40xf32>) -> tensor<1x40xf32>
    %4 = linalg.matmul ins(%x, %1 : tensor<1x512xf32>, tensor<512x40xf32>) outs(%3 : tensor<1x40xf32>) -> tensor<1x40xf32>
    %5 = tensor.empty() : tensor<1x40xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4, %b : tensor<1x40xf32>, tensor<40xf32>) outs(%5 : tensor<1x40xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x40xf32>
    return %6 : tensor<1x40xf32>
  }
}
