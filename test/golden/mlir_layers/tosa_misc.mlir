// tosa misc, small.
// not written: a kernel that an op of several kernels becomes has the mapping of another
func.func @main(%x: tensor<4x6xf32>, %y: tensor<4x2xf32>) -> (tensor<2x16xf32>, tensor<4x3xf32>, tensor<4xi32>, tensor<8x6xf32>) {
  %0 = tosa.concat %x, %y {axis = 1 : i32} : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 2, 16>} : (tensor<4x8xf32>) -> tensor<2x16xf32>
  %2 = tosa.slice %x {size = array<i64: 4, 3>, start = array<i64: 0, 2>} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %3 = tosa.argmax %x {axis = 1 : i32} : (tensor<4x6xf32>) -> tensor<4xi32>
  %4 = tosa.tile %x {multiples = array<i64: 2, 1>} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  return %1, %2, %3, %4 : tensor<2x16xf32>, tensor<4x3xf32>, tensor<4xi32>, tensor<8x6xf32>
}
