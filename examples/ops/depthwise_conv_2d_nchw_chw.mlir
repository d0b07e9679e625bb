func.func @depthwise_conv_2d_nchw_chw(%a: memref<1x3x8x8xf16>, %b: memref<3x3x3xf16>, %c: memref<1x3x6x6xf16>) {
  linalg.depthwise_conv_2d_nchw_chw ins(%a, %b : memref<1x3x8x8xf16>, memref<3x3x3xf16>) outs(%c : memref<1x3x6x6xf16>)
  return
}
