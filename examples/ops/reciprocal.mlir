func.func @reciprocal(%a: memref<4096xf16>, %c: memref<4096xf16>) {
  linalg.reciprocal ins(%a : memref<4096xf16>) outs(%c : memref<4096xf16>)
  return
}
