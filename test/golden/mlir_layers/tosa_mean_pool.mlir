// The mean over an image of TOSA, and the layer behind it.
func.func @main(%x: tensor<1x7x7x16xf32>, %w: tensor<10x16xf32>, %b: tensor<10xf32>) -> tensor<1x10xf32> {
  %0 = tosa.avg_pool2d %x {acc_type = f32, kernel = array<i64: 7, 7>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x7x7x16xf32>) -> tensor<1x1x1x16xf32>
  %1 = tosa.reshape %0 {new_shape = array<i64: 1, 16>} : (tensor<1x1x1x16xf32>) -> tensor<1x16xf32>
  %2 = tosa.fully_connected %1, %w, %b : (tensor<1x16xf32>, tensor<10x16xf32>, tensor<10xf32>) -> tensor<1x10xf32>
  return %2 : tensor<1x10xf32>
}
