// A filter as CIRCT's users write it for high-level synthesis: scf loops over memrefs.
func.func @fir(%x: memref<71xf32>, %h: memref<8xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %k = %c0 to %c8 step %c1 {
      %p = arith.addi %i, %k : index
      %0 = memref.load %x[%p] : memref<71xf32>
      %1 = memref.load %h[%k] : memref<8xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = memref.load %y[%i] : memref<64xf32>
      %4 = arith.addf %3, %2 : f32
      memref.store %4, %y[%i] : memref<64xf32>
    }
  }
  return
}
