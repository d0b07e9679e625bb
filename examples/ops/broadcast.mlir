func.func @broadcast(%a: memref<64xf16>, %c: memref<64x32xf16>) {
  linalg.broadcast ins(%a : memref<64xf16>) outs(%c : memref<64x32xf16>) dimensions = [1]
  return
}
