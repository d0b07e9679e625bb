func.func @matmul_transpose_b(%a: memref<16x32xf16>, %b: memref<8x32xf16>, %c: memref<16x8xf16>) {
  linalg.matmul_transpose_b ins(%a, %b : memref<16x32xf16>, memref<8x32xf16>) outs(%c : memref<16x8xf16>)
  return
}
