func.func @fill(%y: memref<4096xf16>) {
  %c = arith.constant 1.5 : f16
  linalg.fill ins(%c : f16) outs(%y : memref<4096xf16>)
  return
}
