func.func @conv_2d_nhwc_hwcf(%a: memref<1x9x9x3xf16>, %b: memref<3x3x3x4xf16>, %c: memref<1x3x3x4xf16>) {
  linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<2> : tensor<2xi64>} ins(%a, %b : memref<1x9x9x3xf16>, memref<3x3x3x4xf16>) outs(%c : memref<1x3x3x4xf16>)
  return
}
