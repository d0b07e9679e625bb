func.func @conv_2d_nchw_fchw(%a: memref<1x3x8x8xf16>, %b: memref<4x3x3x3xf16>, %c: memref<1x4x6x6xf16>) {
  linalg.conv_2d_nchw_fchw ins(%a, %b : memref<1x3x8x8xf16>, memref<4x3x3x3xf16>) outs(%c : memref<1x4x6x6xf16>)
  return
}
