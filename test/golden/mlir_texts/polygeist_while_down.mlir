// pimento: --size n=21,x:0=21
func.func @down(%n: i32, %x: memref<?xi32>, %out: memref<2xi32>) {
  %c0 = arith.constant 0 : i32
  %cm1 = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %start = arith.addi %n, %cm1 : i32
  %r:2 = scf.while (%i = %start, %s = %c0) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi sge, %i, %c0 : i32
    scf.condition(%c) %s, %i : i32, i32
  } do {
  ^bb0(%s: i32, %i: i32):
    %k = arith.index_cast %i : i32 to index
    %v = memref.load %x[%k] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    %j = arith.subi %i, %c1 : i32
    scf.yield %j, %t : i32, i32
  }
  memref.store %r#0, %out[%i0] : memref<2xi32>
  memref.store %r#1, %out[%i1] : memref<2xi32>
  return
}
