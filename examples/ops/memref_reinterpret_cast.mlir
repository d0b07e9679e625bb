func.func @memref_reinterpret_cast(%a: memref<32xf16>, %y: memref<4x8xf16>) {
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4, 8], strides: [8, 1] : memref<32xf16> to memref<4x8xf16>
  linalg.exp ins(%v : memref<4x8xf16>) outs(%y : memref<4x8xf16>)
  return
}
