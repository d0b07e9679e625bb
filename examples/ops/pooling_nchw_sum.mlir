func.func @pooling_nchw_sum(%a: memref<1x3x8x8xf16>, %b: memref<2x2xf16>, %c: memref<1x3x7x7xf16>) {
  linalg.pooling_nchw_sum ins(%a, %b : memref<1x3x8x8xf16>, memref<2x2xf16>) outs(%c : memref<1x3x7x7xf16>)
  return
}
