func.func @gemv(%A: memref<8x8xf16>, %x: memref<8xf16>, %y: memref<8xf16>) {
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to 8 {
    affine.store %zero, %y[%i] : memref<8xf16>
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<8x8xf16>
      %b = affine.load %x[%j] : memref<8xf16>
      %product = arith.mulf %a, %b : f16
      %old = affine.load %y[%i] : memref<8xf16>
      %new = arith.addf %old, %product : f16
      affine.store %new, %y[%i] : memref<8xf16>
    }
  }
  return
}
