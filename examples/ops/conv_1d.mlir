func.func @conv_1d(%a: memref<18xf16>, %b: memref<3xf16>, %c: memref<16xf16>) {
  linalg.conv_1d ins(%a, %b : memref<18xf16>, memref<3xf16>) outs(%c : memref<16xf16>)
  return
}
