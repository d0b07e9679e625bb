// The classifier of VGG16: three linear layers.
module attributes {torch.debug_module_name = "vgg16_classifier"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%x: tensor<1x98xf32>, %w1: tensor<32x98xf32>, %b1: tensor<32xf32>, %w2: tensor<32x32xf32>, %b2: tensor<32xf32>, %w3: tensor<10x32xf32>, %b3: tensor<10xf32>) -> tensor<1x10xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<98x32xf32>
    %1 = linalg.transpose ins(%w1 : tensor<32x98xf32>) outs(%0 : tensor<98x32xf32>) permutation = [1, 0]
    %2 = tensor.empty() : tensor<1x32xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %4 = linalg.matmul ins(%x, %1 : tensor<1x98xf32>, tensor<98x32xf32>) outs(%3 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %5 = tensor.empty() : tensor<1x32xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%4, %b1 : tensor<1x32xf32>, tensor<32xf32>) outs(%5 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x32xf32>
    %7 = tensor.empty() : tensor<1x32xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<1x32xf32>) outs(%7 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x32xf32>
    %9 = tensor.empty() : tensor<32x32xf32>
    %10 = linalg.transpose ins(%w2 : tensor<32x32xf32>) outs(%9 : tensor<32x32xf32>) permutation = [1, 0]
    %11 = tensor.empty() : tensor<1x32xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %13 = linalg.matmul ins(%8, %10 : tensor<1x32xf32>, tensor<32x32xf32>) outs(%12 : tensor<1x32xf32>) -> tensor<1x32xf32>
    %14 = tensor.empty() : tensor<1x32xf32>
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%13, %b2 : tensor<1x32xf32>, tensor<32xf32>) outs(%14 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x32xf32>
    %16 = tensor.empty() : tensor<1x32xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%15 : tensor<1x32xf32>) outs(%16 : tensor<1x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %c = arith.cmpf ugt, %in, %cst : f32
      %r = arith.select %c, %in, %cst : f32
      linalg.yield %r : f32
    } -> tensor<1x32xf32>
    %18 = tensor.empty() : tensor<32x10xf32>
    %19 = linalg.transpose ins(%w3 : tensor<10x32xf32>) outs(%18 : tensor<32x10xf32>) permutation = [1, 0]
    %20 = tensor.empty() : tensor<1x10xf32>
    %21 = linalg.fill ins(%cst : f32) outs(%20 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %22 = linalg.matmul ins(%17, %19 : tensor<1x32xf32>, tensor<32x10xf32>) outs(%21 : tensor<1x10xf32>) -> tensor<1x10xf32>
    %23 = tensor.empty() : tensor<1x10xf32>
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%22, %b3 : tensor<1x10xf32>, tensor<10xf32>) outs(%23 : tensor<1x10xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %r = arith.addf %in, %in_0 : f32
      linalg.yield %r : f32
    } -> tensor<1x10xf32>
    return %24 : tensor<1x10xf32>
  }
}
