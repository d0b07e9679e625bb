func.func @reduce(%a: memref<64x32xf16>, %c: memref<64xf16>) {
  linalg.reduce { arith.addf } ins(%a : memref<64x32xf16>) outs(%c : memref<64xf16>) dimensions = [1]
  return
}
