func.func @relu(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c16) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<8x16xf32>
    %p = arith.cmpf ogt, %a, %zero : f32
    %r = scf.if %p -> (f32) {
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %r, %y[%i, %j] : memref<8x16xf32>
    scf.reduce
  }
  return
}
