// tosa q, small.
func.func @main(%x: tensor<1x6x6x3xi8>, %w: tensor<4x3x3x3xi8>, %b: tensor<4xi32>) -> tensor<1x4x4x4xi8> {
  %0 = tosa.conv2d %x, %w, %b {dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, quantization_info = #tosa.conv_quant<input_zp = -3, weight_zp = 1>} : (tensor<1x6x6x3xi8>, tensor<4x3x3x3xi8>, tensor<4xi32>) -> tensor<1x4x4x4xi32>
  %1 = tosa.rescale %0 {double_round = true, input_zp = 0 : i32, output_zp = 5 : i32, multiplier = array<i32: 1073741824>, per_channel = false, scale32 = true, shift = array<i8: 38>} : (tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi8>
  return %1 : tensor<1x4x4x4xi8>
}
