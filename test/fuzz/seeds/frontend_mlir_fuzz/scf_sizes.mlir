--size n=3
--size x:0=7
--size y:0=8
func.func @f(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  scf.for %i = %c0 to %d step %c1 {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %y[%j] : memref<?xf32>
  }
  affine.parallel (%i) = (0) to (%n) {
    %k = arith.muli %i, %c1 : index
    %v = arith.index_cast %k : index to i32
    %b = arith.sitofp %v : i32 to f32
    affine.store %b, %x[%i] : memref<?xf32>
  }
  return
}
