// pimento: --size n=24,A:0=24,y:0=24
module {
  func.func @tri(%n: i32, %A: memref<?x24xf64>, %y: memref<?xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0.0 : f64
    %0 = scf.while (%i = %c0) : (i32) -> i32 {
      %c = arith.cmpi slt, %i, %n : i32
      scf.condition(%c) %i : i32
    } do {
    ^bb0(%i: i32):
      %ii = arith.index_cast %i : i32 to index
      %1:2 = scf.while (%j = %c0, %s = %z) : (i32, f64) -> (f64, i32) {
        %c = arith.cmpi sle, %j, %i : i32
        scf.condition(%c) %s, %j : f64, i32
      } do {
      ^bb0(%s: f64, %j: i32):
        %jj = arith.index_cast %j : i32 to index
        %a = memref.load %A[%ii, %jj] : memref<?x24xf64>
        %t = arith.addf %s, %a : f64
        %k = arith.addi %j, %c1 : i32
        scf.yield %k, %t : i32, f64
      }
      memref.store %1#0, %y[%ii] : memref<?xf64>
      %k = arith.addi %i, %c1 : i32
      scf.yield %k : i32
    }
    return
  }
}
