func.func @dispatch(%in: memref<6x24xf32>, %out: memref<6x24xf32>) {
  linalg.softmax dimension(1) ins(%in : memref<6x24xf32>) outs(%out : memref<6x24xf32>)
  return
}
