// y = A x, A in rows of 8 entries with their columns.
module {
  func.func @ellpack(%cols: memref<32x8xi32>, %vals: memref<32x8xf32>, %x: memref<64xf32>, %y: memref<32xf32>) {
    %zero = arith.constant 0.0 : f32
    %c63 = arith.constant 63 : i32
    affine.for %i = 0 to 32 {
      %s = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
        %c = affine.load %cols[%i, %k] : memref<32x8xi32>
        %m = arith.andi %c, %c63 : i32
        %j = arith.index_cast %m : i32 to index
        %v = affine.load %vals[%i, %k] : memref<32x8xf32>
        %u = memref.load %x[%j] : memref<64xf32>
        %p = arith.mulf %v, %u : f32
        %t = arith.addf %acc, %p : f32
        affine.yield %t : f32
      }
      affine.store %s, %y[%i] : memref<32xf32>
    }
    return
  }
}
