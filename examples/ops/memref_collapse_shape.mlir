func.func @memref_collapse_shape(%a: memref<4x8xf16>, %y: memref<32xf16>) {
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x8xf16> into memref<32xf16>
  linalg.exp ins(%v : memref<32xf16>) outs(%y : memref<32xf16>)
  return
}
