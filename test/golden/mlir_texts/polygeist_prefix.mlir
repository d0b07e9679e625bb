module {
  func.func @prefix(%x: memref<64xi32>, %y: memref<64xi32>) {
    %c0_i32 = arith.constant 0 : i32
    %0 = affine.for %i = 0 to 64 iter_args(%sum = %c0_i32) -> (i32) {
      %1 = affine.load %x[%i] : memref<64xi32>
      %2 = arith.addi %sum, %1 : i32
      affine.store %2, %y[%i] : memref<64xi32>
      affine.yield %2 : i32
    }
    return
  }
}
