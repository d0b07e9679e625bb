func.func @s3(%x: memref<64xi32>, %o: memref<1xi32>) {
  %c0 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 63 : index
  %z = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %r = scf.while (%i = %c0) : (index) -> index {
    %c = arith.cmpi ule, %i, %c64 : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<64xi32>
    %j = arith.addi %i, %c3 : index
    scf.yield %j : index
  }
  %t = arith.index_cast %r : index to i32
  memref.store %t, %o[%z] : memref<1xi32>
  return
}
