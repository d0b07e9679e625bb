module {
  func.func @compact(%x: memref<64xi32>, %out: memref<64xi32>, %n: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %0 = scf.for %i = %c0 to %c64 step %c1 iter_args(%count = %c0_i32) -> (i32) {
      %1 = memref.load %x[%i] : memref<64xi32>
      %2 = arith.cmpi sgt, %1, %c0_i32 : i32
      %3 = scf.if %2 -> (i32) {
        %4 = arith.index_cast %count : i32 to index
        memref.store %1, %out[%4] : memref<64xi32>
        %5 = arith.addi %count, %c1_i32 : i32
        scf.yield %5 : i32
      } else {
        scf.yield %count : i32
      }
      scf.yield %3 : i32
    }
    memref.store %0, %n[%c0] : memref<1xi32>
    return
  }
}
