func.func @batch_matvec(%a: memref<2x16x32xf16>, %b: memref<2x32xf16>, %c: memref<2x16xf16>) {
  linalg.batch_matvec ins(%a, %b : memref<2x16x32xf16>, memref<2x32xf16>) outs(%c : memref<2x16xf16>)
  return
}
