func.func @main(%A: memref<64x64xf64>, %x: memref<64xf64>, %y: memref<64xf64>) {
  linalg.matvec ins(%A, %x : memref<64x64xf64>, memref<64xf64>) outs(%y : memref<64xf64>)
  return
}
