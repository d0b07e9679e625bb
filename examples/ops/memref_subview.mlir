func.func @memref_subview(%a: memref<32xf16>, %y: memref<8xf16>) {
  %v = memref.subview %a[4] [8] [1] : memref<32xf16> to memref<8xf16, strided<[1], offset: 4>>
  linalg.exp ins(%v : memref<8xf16, strided<[1], offset: 4>>) outs(%y : memref<8xf16>)
  return
}
