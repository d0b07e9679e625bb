func.func @matvec(%a: memref<256x128xf16>, %b: memref<128xf16>, %c: memref<256xf16>) {
  linalg.matvec ins(%a, %b : memref<256x128xf16>, memref<128xf16>) outs(%c : memref<256xf16>)
  return
}
