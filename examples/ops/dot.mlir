func.func @dot(%a: memref<128xf16>, %b: memref<128xf16>, %c: memref<f16>) {
  linalg.dot ins(%a, %b : memref<128xf16>, memref<128xf16>) outs(%c : memref<f16>)
  return
}
