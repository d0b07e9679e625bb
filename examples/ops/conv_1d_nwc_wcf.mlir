func.func @conv_1d_nwc_wcf(%a: memref<1x18x4xf16>, %b: memref<3x4x8xf16>, %c: memref<1x16x8xf16>) {
  linalg.conv_1d_nwc_wcf ins(%a, %b : memref<1x18x4xf16>, memref<3x4x8xf16>) outs(%c : memref<1x16x8xf16>)
  return
}
