func.func @batch_vecmat(%a: memref<2x32xf16>, %b: memref<2x32x16xf16>, %c: memref<2x16xf16>) {
  linalg.batch_vecmat ins(%a, %b : memref<2x32xf16>, memref<2x32x16xf16>) outs(%c : memref<2x16xf16>)
  return
}
