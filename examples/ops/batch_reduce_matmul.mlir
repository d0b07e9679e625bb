func.func @batch_reduce_matmul(%a: memref<2x8x16xf16>, %b: memref<2x16x4xf16>, %c: memref<8x4xf16>) {
  linalg.batch_reduce_matmul ins(%a, %b : memref<2x8x16xf16>, memref<2x16x4xf16>) outs(%c : memref<8x4xf16>)
  return
}
