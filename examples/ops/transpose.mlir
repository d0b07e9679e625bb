func.func @transpose(%a: memref<64x32xf16>, %c: memref<32x64xf16>) {
  linalg.transpose ins(%a : memref<64x32xf16>) outs(%c : memref<32x64xf16>) permutation = [1, 0]
  return
}
