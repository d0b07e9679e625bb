func.func @conv_1d_ncw_fcw(%a: memref<1x4x18xf16>, %b: memref<8x4x3xf16>, %c: memref<1x8x16xf16>) {
  linalg.conv_1d_ncw_fcw ins(%a, %b : memref<1x4x18xf16>, memref<8x4x3xf16>) outs(%c : memref<1x8x16xf16>)
  return
}
