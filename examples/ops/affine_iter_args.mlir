func.func @affine_iter_args(%A: memref<256x128xf16>, %x: memref<128xf16>, %y: memref<256xf16>) {
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to 256 {
    %sum = affine.for %j = 0 to 128 iter_args(%acc = %zero) -> (f16) {
      %a = affine.load %A[%i, %j] : memref<256x128xf16>
      %b = affine.load %x[%j] : memref<128xf16>
      %p = arith.mulf %a, %b : f16
      %s = arith.addf %acc, %p : f16
      affine.yield %s : f16
    }
    affine.store %sum, %y[%i] : memref<256xf16>
  }
  return
}
