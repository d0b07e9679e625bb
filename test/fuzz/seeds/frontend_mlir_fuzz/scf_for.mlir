func.func @scf_for(%x: memref<4096xf16>, %y: memref<4096xf16>, %z: memref<4096xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4096 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<4096xf16>
    %b = memref.load %y[%i] : memref<4096xf16>
    %s = arith.addf %a, %b : f16
    memref.store %s, %z[%i] : memref<4096xf16>
  }
  return
}
