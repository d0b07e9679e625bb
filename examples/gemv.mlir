// y = A x: 4096 outputs, 4096 inputs, half precision.
//
//   pimento estimate examples/gemv.mlir --target hbm-pim
func.func @gemv(%A: memref<4096x4096xf16>, %x: memref<4096xf16>, %y: memref<4096xf16>) {
  %zero = arith.constant 0.0 : f16
  linalg.fill ins(%zero : f16) outs(%y : memref<4096xf16>)
  linalg.matvec ins(%A, %x : memref<4096x4096xf16>, memref<4096xf16>) outs(%y : memref<4096xf16>)
  return
}
