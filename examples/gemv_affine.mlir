// y = A x as loops: 4096 outputs, 4096 inputs, half precision. The kernel of gemv.mlir, spelled out.
//
//   pimento simulate examples/gemv_affine.mlir --target hbm-pim
func.func @gemv(%A: memref<4096x4096xf16>, %x: memref<4096xf16>, %y: memref<4096xf16>) {
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to 4096 {
    affine.store %zero, %y[%i] : memref<4096xf16>
    affine.for %j = 0 to 4096 {
      %a = affine.load %A[%i, %j] : memref<4096x4096xf16>
      %b = affine.load %x[%j] : memref<4096xf16>
      %product = arith.mulf %a, %b : f16
      %old = affine.load %y[%i] : memref<4096xf16>
      %new = arith.addf %old, %product : f16
      affine.store %new, %y[%i] : memref<4096xf16>
    }
  }
  return
}
