// A region that places its ops, as CINM has it: looked through.
func.func @main(%A: tensor<8x16xi32>, %B: tensor<16x4xi32>) -> tensor<8x4xi32> {
  %r = cinm.compute attributes { workgroupShape = array<i64: 4, 2> } -> tensor<8x4xi32> {
    %c0 = arith.constant 0 : i32
    %e = tensor.empty() : tensor<8x4xi32>
    %z = linalg.fill ins(%c0 : i32) outs(%e : tensor<8x4xi32>) -> tensor<8x4xi32>
    %p = linalg.matmul ins(%A, %B : tensor<8x16xi32>, tensor<16x4xi32>) outs(%z : tensor<8x4xi32>) -> tensor<8x4xi32>
    cinm.yield %p : tensor<8x4xi32>
  }
  return %r : tensor<8x4xi32>
}
