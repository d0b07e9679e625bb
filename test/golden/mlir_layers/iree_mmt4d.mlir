// A tiled product as IREE's data tiling leaves it: packed operands, linalg.mmt4d.
func.func @main(%a: tensor<2x4x8x1xf32>, %b: tensor<3x4x8x1xf32>, %c: tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x4x8x1xf32>, tensor<3x4x8x1xf32>) outs(%c : tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %0 : tensor<2x3x8x8xf32>
}
