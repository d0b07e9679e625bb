func.func @min(%a: memref<4096xf16>, %b: memref<4096xf16>, %c: memref<4096xf16>) {
  linalg.min ins(%a, %b : memref<4096xf16>, memref<4096xf16>) outs(%c : memref<4096xf16>)
  return
}
