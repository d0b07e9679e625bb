#low = affine_set<(d0, d1) : (d0 - d1 - 1 >= 0, 3 - d1 >= 0)>
func.func @f(%A: memref<5x5xi32>, %y: memref<5xi32>) {
  affine.for %i = 0 to 5 {
    affine.for %j = max affine_map<(d0) -> (d0 - 2, 0)>(%i) to min affine_map<(d0) -> (d0 + 2, 5)>(%i) {
      affine.if #low(%i, %j) {
        %a = affine.load %A[%i, %j] : memref<5x5xi32>
        %o = affine.load %y[%i] : memref<5xi32>
        %r = arith.maxsi %o, %a : i32
        affine.store %r, %y[%i] : memref<5xi32>
      }
    }
  }
  return
}
