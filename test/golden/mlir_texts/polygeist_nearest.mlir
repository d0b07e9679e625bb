// For each point the nearest of 8 centres: an argmin carried by a loop.
module {
  func.func @nearest(%p: memref<32x2xi32>, %c: memref<8x2xi32>, %best: memref<32xi32>) {
    %far = arith.constant 2147483647 : i32
    %none = arith.constant 0 : i32
    affine.for %i = 0 to 32 {
      %0:2 = affine.for %k = 0 to 8 iter_args(%least = %far, %at = %none) -> (i32, i32) {
        %1 = affine.for %d = 0 to 2 iter_args(%sum = %none) -> (i32) {
          %5 = affine.load %p[%i, %d] : memref<32x2xi32>
          %6 = affine.load %c[%k, %d] : memref<8x2xi32>
          %7 = arith.subi %5, %6 : i32
          %8 = arith.muli %7, %7 : i32
          %9 = arith.addi %sum, %8 : i32
          affine.yield %9 : i32
        }
        %2 = arith.cmpi slt, %1, %least : i32
        %3:2 = scf.if %2 -> (i32, i32) {
          %4 = arith.index_cast %k : index to i32
          scf.yield %1, %4 : i32, i32
        } else {
          scf.yield %least, %at : i32, i32
        }
        affine.yield %3#0, %3#1 : i32, i32
      }
      affine.store %0#1, %best[%i] : memref<32xi32>
    }
    return
  }
}
