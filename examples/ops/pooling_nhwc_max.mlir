func.func @pooling_nhwc_max(%a: memref<1x8x8x3xf16>, %b: memref<2x2xf16>, %c: memref<1x4x4x3xf16>) {
  linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>} ins(%a, %b : memref<1x8x8x3xf16>, memref<2x2xf16>) outs(%c : memref<1x4x4x3xf16>)
  return
}
