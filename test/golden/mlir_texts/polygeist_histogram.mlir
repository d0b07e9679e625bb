// pimento: --size arg0=64,arg1:0=64
module {
  func.func @histogram(%arg0: i32, %arg1: memref<?xi32>, %arg2: memref<16xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %c15_i32 = arith.constant 15 : i32
    %0 = arith.index_cast %arg0 : i32 to index
    scf.for %arg3 = %c0 to %c16 step %c1 {
      memref.store %c0_i32, %arg2[%arg3] : memref<16xi32>
    }
    scf.for %arg3 = %c0 to %0 step %c1 {
      %1 = memref.load %arg1[%arg3] : memref<?xi32>
      %2 = arith.andi %1, %c15_i32 : i32
      %3 = arith.index_cast %2 : i32 to index
      %4 = memref.load %arg2[%3] : memref<16xi32>
      %5 = arith.addi %4, %c1_i32 : i32
      memref.store %5, %arg2[%3] : memref<16xi32>
    }
    return
  }
}
