func.func @matmul_transpose_a(%a: memref<32x16xf16>, %b: memref<32x8xf16>, %c: memref<16x8xf16>) {
  linalg.matmul_transpose_a ins(%a, %b : memref<32x16xf16>, memref<32x8xf16>) outs(%c : memref<16x8xf16>)
  return
}
