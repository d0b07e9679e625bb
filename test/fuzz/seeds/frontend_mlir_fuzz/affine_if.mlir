func.func @affine_if(%x: memref<64xf16>, %y: memref<64xf16>) {
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 - 1 >= 0, 62 - d0 >= 0)>(%i) {
      %a = affine.load %x[%i - 1] : memref<64xf16>
      %b = affine.load %x[%i + 1] : memref<64xf16>
      %s = arith.addf %a, %b : f16
      affine.store %s, %y[%i] : memref<64xf16>
    }
  }
  return
}
