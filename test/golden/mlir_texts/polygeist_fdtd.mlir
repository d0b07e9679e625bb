module {
  func.func @kernel_fdtd(%ex: memref<10x12xf64>, %ey: memref<10x12xf64>, %hz: memref<10x12xf64>, %f: memref<3xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %half = arith.constant 5.000000e-01 : f64
    %c7 = arith.constant 0.69999999999999996 : f64
    affine.for %t = 0 to 3 {
      affine.for %j = 0 to 12 {
        %0 = affine.load %f[%t] : memref<3xf64>
        affine.store %0, %ey[0, %j] : memref<10x12xf64>
      }
      affine.for %i = 1 to 10 {
        affine.for %j = 0 to 12 {
          %0 = affine.load %ey[%i, %j] : memref<10x12xf64>
          %1 = affine.load %hz[%i, %j] : memref<10x12xf64>
          %2 = affine.load %hz[%i - 1, %j] : memref<10x12xf64>
          %3 = arith.subf %1, %2 : f64
          %4 = arith.mulf %3, %half : f64
          %5 = arith.subf %0, %4 : f64
          affine.store %5, %ey[%i, %j] : memref<10x12xf64>
        }
      }
      affine.for %i = 0 to 9 {
        affine.for %j = 0 to 11 {
          %0 = affine.load %hz[%i, %j] : memref<10x12xf64>
          %1 = affine.load %ey[%i + 1, %j] : memref<10x12xf64>
          %2 = affine.load %ey[%i, %j] : memref<10x12xf64>
          %3 = arith.subf %1, %2 : f64
          %4 = arith.mulf %3, %c7 : f64
          %5 = arith.subf %0, %4 : f64
          affine.store %5, %hz[%i, %j] : memref<10x12xf64>
        }
      }
    }
    return
  }
}
