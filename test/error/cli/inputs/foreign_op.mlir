func.func @f(%x: memref<8xf16>) {
  gpu.barrier
  return
}
