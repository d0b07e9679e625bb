func.func @threshold(%x: memref<64xi16>, %y: memref<64xi16>) {
  %t = arith.constant 100 : i16
  %z = arith.constant 0 : i16
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi16>
    %c = arith.cmpi sgt, %v, %t : i16
    %r = scf.if %c -> (i16) {
      %d = arith.subi %v, %t : i16
      scf.yield %d : i16
    } else {
      scf.yield %z : i16
    }
    affine.store %r, %y[%i] : memref<64xi16>
  }
  return
}
