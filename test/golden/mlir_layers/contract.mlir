// linalg.contract of later versions of MLIR.
#mapA = affine_map<(m, n, k) -> (m, k)>
#mapB = affine_map<(m, n, k) -> (n, k)>
#mapC = affine_map<(m, n, k) -> (m, n)>
func.func @main(%A: tensor<4x8xi16>, %B: tensor<6x8xi16>, %C: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %0 = linalg.contract
      indexing_maps = [#mapA, #mapB, #mapC]
      ins(%A, %B : tensor<4x8xi16>, tensor<6x8xi16>) outs(%C : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}
