// Parameters that many points update, at rows that data choose; then rounds around linalg ops on memrefs.
func.func @scatter(%rows: memref<24xi32>, %g: memref<24x8xi32>, %W: memref<16x8xi32>, %b: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c15 = arith.constant 15 : i32
  affine.for %p = 0 to 24 {
    %k = affine.load %rows[%p] : memref<24xi32>
    %m = arith.andi %k, %c15 : i32
    %r = arith.index_castui %m : i32 to index
    affine.for %d = 0 to 8 {
      %x = affine.load %g[%p, %d] : memref<24x8xi32>
      %o = memref.load %W[%r, %d] : memref<16x8xi32>
      %n = arith.addi %o, %x : i32
      memref.store %n, %W[%r, %d] : memref<16x8xi32>
    }
  }
  scf.for %t = %c0 to %c3 step %c1 {
    linalg.reduce { arith.addi } ins(%W : memref<16x8xi32>) outs(%b : memref<8xi32>) dimensions = [0]
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%b : memref<8xi32>) outs(%W : memref<16x8xi32>) {
    ^bb0(%x: i32, %o: i32):
      %s = arith.subi %o, %x : i32
      linalg.yield %s : i32
    }
  }
  return
}
