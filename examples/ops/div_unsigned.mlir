func.func @div_unsigned(%a: memref<64xi32>, %b: memref<64xi32>, %c: memref<64xi32>) {
  linalg.div_unsigned ins(%a, %b : memref<64xi32>, memref<64xi32>) outs(%c : memref<64xi32>)
  return
}
