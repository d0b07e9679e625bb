// pimento: --size x:1=20
func.func @dispatch(%x: memref<3x?x4xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<3x?x4xf32>) outs(%x : memref<3x?x4xf32>)
  return
}
