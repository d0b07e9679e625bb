func.func @depthwise_conv_2d_nhwc_hwc(%a: memref<1x8x8x3xf16>, %b: memref<3x3x3xf16>, %c: memref<1x6x6x3xf16>) {
  linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %b : memref<1x8x8x3xf16>, memref<3x3x3xf16>) outs(%c : memref<1x6x6x3xf16>)
  return
}
