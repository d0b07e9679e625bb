// atax of PolyBench: a matrix and its transpose times a vector.
func.func @kernel_atax(%A: memref<38x42xf32>, %x: memref<42xf32>, %y: memref<42xf32>, %tmp: memref<38xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  affine.for %i = 0 to 42 {
    affine.store %cst, %y[%i] : memref<42xf32>
  }
  affine.for %i = 0 to 38 {
    affine.store %cst, %tmp[%i] : memref<38xf32>
  }
  affine.for %i = 0 to 38 {
    affine.for %j = 0 to 42 {
      %0 = affine.load %tmp[%i] : memref<38xf32>
      %1 = affine.load %A[%i, %j] : memref<38x42xf32>
      %2 = affine.load %x[%j] : memref<42xf32>
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      affine.store %4, %tmp[%i] : memref<38xf32>
    }
  }
  affine.for %i = 0 to 38 {
    affine.for %j = 0 to 42 {
      %0 = affine.load %y[%j] : memref<42xf32>
      %1 = affine.load %A[%i, %j] : memref<38x42xf32>
      %2 = affine.load %tmp[%i] : memref<38xf32>
      %3 = arith.mulf %1, %2 : f32
      %4 = arith.addf %0, %3 : f32
      affine.store %4, %y[%j] : memref<42xf32>
    }
  }
  return
}
