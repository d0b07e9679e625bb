// A residual block of TOSA, as TensorFlow Lite models become it.
func.func @main(%x: tensor<1x6x6x4xf32>, %w1: tensor<8x1x1x4xf32>, %b1: tensor<8xf32>, %w2: tensor<4x3x3x8xf32>, %b2: tensor<4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = tosa.conv2d %x, %w1, %b1 {dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x6x6x4xf32>, tensor<8x1x1x4xf32>, tensor<8xf32>) -> tensor<1x6x6x8xf32>
  %1 = tosa.clamp %0 {max_fp = 3.40282347E+38 : f32, max_int = 2147483647 : i64, min_fp = 0.0 : f32, min_int = 0 : i64} : (tensor<1x6x6x8xf32>) -> tensor<1x6x6x8xf32>
  %2 = tosa.conv2d %1, %w2, %b2 {dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x6x6x8xf32>, tensor<4x3x3x8xf32>, tensor<4xf32>) -> tensor<1x6x6x4xf32>
  %3 = tosa.add %2, %x : (tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %3 : tensor<1x6x6x4xf32>
}
