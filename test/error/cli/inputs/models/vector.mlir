func.func @main(%x: memref<8xvector<4xf32>>) {
  return
}
