func.func @mmt4d(%a: memref<2x4x8x1xf16>, %b: memref<3x4x8x1xf16>, %c: memref<2x3x8x8xf16>) {
  linalg.mmt4d ins(%a, %b : memref<2x4x8x1xf16>, memref<3x4x8x1xf16>) outs(%c : memref<2x3x8x8xf16>)
  return
}
