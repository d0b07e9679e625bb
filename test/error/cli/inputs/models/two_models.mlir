func.func private @one(%x: memref<8xf32>) {
  return
}
func.func private @two(%x: memref<8xf32>) {
  return
}
