module {
  func.func @relax(%row: memref<17xi32>, %col: memref<64xi32>, %old: memref<64xi32>, %new: memref<16xi32>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %c1 = arith.constant 1 : i32
    affine.for %i = 0 to 16 {
      %lo = affine.load %row[%i] : memref<17xi32>
      %hi = affine.load %row[%i + 1] : memref<17xi32>
      %l = arith.index_cast %lo : i32 to index
      %h = arith.index_cast %hi : i32 to index
      %s = arith.constant 1 : index
      %big = arith.constant 1000000 : i32
      %m = scf.for %e = %l to %h step %s iter_args(%best = %big) -> (i32) {
        %v = memref.load %old[%e] : memref<64xi32>
        %w = memref.load %col[%e] : memref<64xi32>
        %d = arith.addi %v, %w : i32
        %b = arith.minsi %best, %d : i32
        scf.yield %b : i32
      }
      %r = arith.addi %m, %c1 : i32
      affine.store %r, %new[%i] : memref<16xi32>
    }
    return
  }
}
