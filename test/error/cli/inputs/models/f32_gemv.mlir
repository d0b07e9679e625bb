func.func @main(%A: memref<64x64xf32>, %x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.matvec ins(%A, %x : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
