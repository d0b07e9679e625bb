func.func @main(%x: memref<8xi7>, %y: memref<8xi7>) {
  linalg.copy ins(%x : memref<8xi7>) outs(%y : memref<8xi7>)
  return
}
