func.func @cs(%a: tensor<4x6xi32>, %b: tensor<4x10xi32>) -> tensor<4x8xi32> {
  %0 = tosa.concat %a, %b {axis = 1 : i32} : (tensor<4x6xi32>, tensor<4x10xi32>) -> tensor<4x16xi32>
  %1 = tosa.slice %0 {size = array<i64: 4, 8>, start = array<i64: 0, 4>} : (tensor<4x16xi32>) -> tensor<4x8xi32>
  %2 = tosa.negate %1 : (tensor<4x8xi32>) -> tensor<4x8xi32>
  return %2 : tensor<4x8xi32>
}
