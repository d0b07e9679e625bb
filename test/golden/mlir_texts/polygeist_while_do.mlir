func.func @do(%x: memref<64xf32>, %y: memref<64xf32>) attributes {llvm.linkage = #llvm.linkage<external>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %k = arith.index_cast %i : i32 to index
    %v = memref.load %x[%k] : memref<64xf32>
    %s = arith.addf %v, %v : f32
    memref.store %s, %y[%k] : memref<64xf32>
    %n = arith.addi %i, %c1 : i32
    %c = arith.cmpi slt, %n, %c64 : i32
    scf.condition(%c) %n : i32
  } do {
  ^bb0(%j: i32):
    scf.yield %j : i32
  }
  return
}
