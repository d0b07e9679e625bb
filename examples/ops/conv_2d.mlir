func.func @conv_2d(%a: memref<18x18xf16>, %b: memref<3x3xf16>, %c: memref<16x16xf16>) {
  linalg.conv_2d ins(%a, %b : memref<18x18xf16>, memref<3x3xf16>) outs(%c : memref<16x16xf16>)
  return
}
