// pimento: --size zx=5
func.func @main(%x: tensor<4x8xi8>, %w: tensor<8x6xi8>, %zx: i32) -> tensor<4x6xi32> {
  %zw = arith.constant 7 : i32
  %c0 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<4x6xi32>
  %1 = linalg.fill ins(%c0 : i32) outs(%0 : tensor<4x6xi32>) -> tensor<4x6xi32>
  %2 = linalg.quantized_matmul ins(%x, %w, %zx, %zw : tensor<4x8xi8>, tensor<8x6xi8>, i32, i32) outs(%1 : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %2 : tensor<4x6xi32>
}
