// 2mm of PolyBench without its scalars: a product into a local array, and one more.
func.func @kernel_2mm(%A: memref<16x22xf32>, %B: memref<22x18xf32>, %C: memref<18x24xf32>, %D: memref<16x24xf32>) {
  %cst = arith.constant 0.000000e+00 : f32
  %tmp = memref.alloca() : memref<16x18xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 18 {
      affine.store %cst, %tmp[%i, %j] : memref<16x18xf32>
      affine.for %k = 0 to 22 {
        %0 = affine.load %A[%i, %k] : memref<16x22xf32>
        %1 = affine.load %B[%k, %j] : memref<22x18xf32>
        %2 = arith.mulf %0, %1 : f32
        %3 = affine.load %tmp[%i, %j] : memref<16x18xf32>
        %4 = arith.addf %3, %2 : f32
        affine.store %4, %tmp[%i, %j] : memref<16x18xf32>
      }
    }
  }
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 24 {
      affine.for %k = 0 to 18 {
        %0 = affine.load %tmp[%i, %k] : memref<16x18xf32>
        %1 = affine.load %C[%k, %j] : memref<18x24xf32>
        %2 = arith.mulf %0, %1 : f32
        %3 = affine.load %D[%i, %j] : memref<16x24xf32>
        %4 = arith.addf %3, %2 : f32
        affine.store %4, %D[%i, %j] : memref<16x24xf32>
      }
    }
  }
  return
}
