func.func @conv_3d(%a: memref<6x6x6xf16>, %b: memref<3x3x3xf16>, %c: memref<4x4x4xf16>) {
  linalg.conv_3d ins(%a, %b : memref<6x6x6xf16>, memref<3x3x3xf16>) outs(%c : memref<4x4x4xf16>)
  return
}
