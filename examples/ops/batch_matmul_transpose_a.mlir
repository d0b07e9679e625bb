func.func @batch_matmul_transpose_a(%a: memref<2x16x8xf16>, %b: memref<2x16x4xf16>, %c: memref<2x8x4xf16>) {
  linalg.batch_matmul_transpose_a ins(%a, %b : memref<2x16x8xf16>, memref<2x16x4xf16>) outs(%c : memref<2x8x4xf16>)
  return
}
