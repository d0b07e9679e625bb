// Data layouts: pack and unpack; generated and splat tensors.
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %d = tensor.empty() : tensor<2x4x4x2xf32>
  %p = tensor.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %d : tensor<8x8xf32> -> tensor<2x4x4x2xf32>
  %t = linalg.exp ins(%p : tensor<2x4x4x2xf32>) outs(%d : tensor<2x4x4x2xf32>) -> tensor<2x4x4x2xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %u = tensor.unpack %t inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<2x4x4x2xf32> -> tensor<8x8xf32>
  %c = arith.constant 2.0 : f32
  %s = tensor.splat %c : tensor<8x8xf32>
  %m = linalg.mul ins(%u, %s : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %m : tensor<8x8xf32>
}
