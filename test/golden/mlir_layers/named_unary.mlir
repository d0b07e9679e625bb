// Named elementwise ops on functions that the devices do not have.
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %ten = arith.constant 1.0e+01 : f32
  %0 = tensor.empty() : tensor<64xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%0 : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.mulf %in, %ten : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %1 = linalg.ceil ins(%s : tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.floor ins(%s : tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %3 = linalg.round ins(%s : tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %4 = linalg.erf ins(%s : tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %5 = linalg.square ins(%s : tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %6 = linalg.add ins(%1, %2 : tensor<64xf32>, tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %7 = linalg.add ins(%6, %3 : tensor<64xf32>, tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %8 = linalg.add ins(%7, %4 : tensor<64xf32>, tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  %9 = linalg.add ins(%8, %5 : tensor<64xf32>, tensor<64xf32>) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
  return %9 : tensor<64xf32>
}
