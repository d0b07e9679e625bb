func.func @dot(%x: memref<64xi32>, %y: memref<64xi32>, %out: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %s = scf.parallel (%i) = (%c0) to (%c64) step (%c1) init (%zero) -> i32 {
    %a = memref.load %x[%i] : memref<64xi32>
    %b = memref.load %y[%i] : memref<64xi32>
    %p = arith.muli %a, %b : i32
    scf.reduce(%p : i32) {
    ^bb0(%l: i32, %r: i32):
      %t = arith.addi %l, %r : i32
      scf.reduce.return %t : i32
    }
  }
  memref.store %s, %out[] : memref<i32>
  return
}
