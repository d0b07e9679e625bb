func.func @affine_for(%A: memref<256x128xf16>, %x: memref<128xf16>, %y: memref<256xf16>) {
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to 256 {
    affine.store %zero, %y[%i] : memref<256xf16>
    affine.for %j = 0 to 128 {
      %a = affine.load %A[%i, %j] : memref<256x128xf16>
      %b = affine.load %x[%j] : memref<128xf16>
      %old = affine.load %y[%i] : memref<256xf16>
      %p = arith.mulf %a, %b : f16
      %s = arith.addf %old, %p : f16
      affine.store %s, %y[%i] : memref<256xf16>
    }
  }
  return
}
