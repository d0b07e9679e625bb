// refused: unsupported-loop
module {
  func.func @collatz(%x: memref<1xi32>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %0 = memref.load %x[%c0] : memref<1xi32>
    %1 = scf.while (%n = %0) : (i32) -> i32 {
      %2 = arith.cmpi sgt, %n, %one : i32
      scf.condition(%2) %n : i32
    } do {
    ^bb0(%n: i32):
      %3 = arith.shrsi %n, %one : i32
      scf.yield %3 : i32
    }
    memref.store %1, %x[%c0] : memref<1xi32>
    return
  }
}
