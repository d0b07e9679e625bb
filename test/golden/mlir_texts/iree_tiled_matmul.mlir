func.func @tiled(%A: memref<16x32xf32>, %B: memref<32x8xf32>, %C: memref<16x8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : memref<16x8xf32>)
  scf.for %i = %c0 to %c16 step %c4 {
    scf.for %k = %c0 to %c32 step %c8 {
      %a = memref.subview %A[%i, %k] [4, 8] [1, 1] : memref<16x32xf32> to memref<4x8xf32, strided<[32, 1], offset: ?>>
      %b = memref.subview %B[%k, 0] [8, 8] [1, 1] : memref<32x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
      %c = memref.subview %C[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
      linalg.matmul ins(%a, %b : memref<4x8xf32, strided<[32, 1], offset: ?>>, memref<8x8xf32, strided<[8, 1], offset: ?>>) outs(%c : memref<4x8xf32, strided<[8, 1], offset: ?>>)
    }
  }
  return
}
