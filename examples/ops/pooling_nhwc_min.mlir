func.func @pooling_nhwc_min(%a: memref<1x8x8x3xf16>, %b: memref<2x2xf16>, %c: memref<1x7x7x3xf16>) {
  linalg.pooling_nhwc_min ins(%a, %b : memref<1x8x8x3xf16>, memref<2x2xf16>) outs(%c : memref<1x7x7x3xf16>)
  return
}
