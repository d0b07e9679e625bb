// scf.parallel with scf.reduce of two values.
func.func @main(%x: memref<64xi32>, %o: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  %r = scf.parallel (%i) = (%c0) to (%c64) step (%c1) init (%z) -> i32 {
    %a = memref.load %x[%i] : memref<64xi32>
    scf.reduce(%a : i32) {
    ^bb0(%l: i32, %q: i32):
      %s = arith.addi %l, %q : i32
      scf.reduce.return %s : i32
    }
  }
  memref.store %r, %o[%c0] : memref<1xi32>
  return
}
