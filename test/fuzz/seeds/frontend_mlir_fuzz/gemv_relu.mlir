// z = relu(A x + b): one layer of a network, on tensors.
//
//   pimento estimate examples/gemv_relu.mlir --target hbm-pim
#row = affine_map<(d0) -> (d0)>

func.func @gemv_relu(%A: tensor<4x6xf16>, %x: tensor<6xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4xf16>
  %start = linalg.fill ins(%zero : f16) outs(%empty : tensor<4xf16>) -> tensor<4xf16>
  %y = linalg.matvec ins(%A, %x : tensor<4x6xf16>, tensor<6xf16>)
                     outs(%start : tensor<4xf16>) -> tensor<4xf16>
  %z = linalg.generic {indexing_maps = [#row, #row, #row], iterator_types = ["parallel"]}
      ins(%y, %b : tensor<4xf16>, tensor<4xf16>) outs(%empty : tensor<4xf16>) {
  ^bb0(%sum: f16, %bias: f16, %old: f16):
    %biased = arith.addf %sum, %bias : f16
    %positive = arith.maximumf %biased, %zero : f16
    linalg.yield %positive : f16
  } -> tensor<4xf16>
  return %z : tensor<4xf16>
}
