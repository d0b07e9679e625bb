// A filter in a global, as bufferized modules have it.
memref.global "private" constant @filter : memref<3xi32> = dense<[1, -2, 1]>
func.func @main(%x: memref<18xi32>, %y: memref<16xi32>) {
  %c0 = arith.constant 0 : i32
  %f = memref.get_global @filter : memref<3xi32>
  linalg.fill ins(%c0 : i32) outs(%y : memref<16xi32>)
  linalg.conv_1d ins(%x, %f : memref<18xi32>, memref<3xi32>) outs(%y : memref<16xi32>)
  return
}
