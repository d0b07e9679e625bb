func.func @square(%a: memref<4096xf16>, %c: memref<4096xf16>) {
  linalg.square ins(%a : memref<4096xf16>) outs(%c : memref<4096xf16>)
  return
}
