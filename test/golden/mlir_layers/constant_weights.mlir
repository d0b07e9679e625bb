// Weights in the file, dense and as a resource.
func.func @forward(%x: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25], [4.0, -2.0, 8.0], [0.125, 1.5, -3.0]]> : tensor<4x3xf32>
  %b = arith.constant dense_resource<torch_tensor_3_torch.float32> : tensor<3xf32>
  %cst = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x3xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %2 = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x3xf32>) outs(%1 : tensor<1x3xf32>) -> tensor<1x3xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%2, %b : tensor<1x3xf32>, tensor<3xf32>) outs(%0 : tensor<1x3xf32>) {
  ^bb0(%in: f32, %in_0: f32, %out: f32):
    %s = arith.addf %in, %in_0 : f32
    linalg.yield %s : f32
  } -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_3_torch.float32: "0x040000000000803F0000004000004040"
    }
  }
#-}
