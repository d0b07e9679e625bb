func.func @ragged(%len: memref<12xi32>, %x: memref<12x30xi32>, %out: memref<12x30xi32>, %sum: memref<12xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 12 {
    %n32 = affine.load %len[%i] : memref<12xi32>
    %n = arith.index_cast %n32 : i32 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    affine.store %zero, %sum[%i] : memref<12xi32>
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : memref<12x30xi32>
      %two = arith.addi %v, %v : i32
      memref.store %two, %out[%i, %j] : memref<12x30xi32>
      %s = memref.load %sum[%i] : memref<12xi32>
      %t = arith.addi %s, %v : i32
      memref.store %t, %sum[%i] : memref<12xi32>
    }
  }
  return
}
