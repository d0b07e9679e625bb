func.func @vecmat(%a: memref<128xf16>, %b: memref<128x256xf16>, %c: memref<256xf16>) {
  linalg.vecmat ins(%a, %b : memref<128xf16>, memref<128x256xf16>) outs(%c : memref<256xf16>)
  return
}
