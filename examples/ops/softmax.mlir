func.func @softmax(%a: memref<4x16xf16>, %c: memref<4x16xf16>) {
  linalg.softmax dimension(1) ins(%a : memref<4x16xf16>) outs(%c : memref<4x16xf16>)
  return
}
