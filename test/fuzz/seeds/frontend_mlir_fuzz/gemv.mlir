// y = A x: 4096 outputs, 4096 inputs, half precision.
//
//   pimento estimate examples/gemv.mlir --target hbm-pim
func.func @gemv(%A: memref<4x6xf16>, %x: memref<6xf16>, %y: memref<4xf16>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%y : memref<4xf16>)
  linalg.matvec ins(%A, %x : memref<4x6xf16>, memref<6xf16>) outs(%y : memref<4xf16>)
  return
}
