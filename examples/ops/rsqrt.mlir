func.func @rsqrt(%a: memref<4096xf16>, %c: memref<4096xf16>) {
  linalg.rsqrt ins(%a : memref<4096xf16>) outs(%c : memref<4096xf16>)
  return
}
