// pimento: --size arg0=5,arg1=16,arg2:0=16,arg3:0=16
#map = affine_map<()[s0] -> (s0 - 1)>
module {
  func.func @kernel_jacobi_2d(%arg0: i32, %arg1: i32, %arg2: memref<?x16xf32>, %arg3: memref<?x16xf32>) {
    %cst = arith.constant 2.000000e-01 : f32
    %0 = arith.index_cast %arg1 : i32 to index
    %1 = arith.index_cast %arg0 : i32 to index
    affine.for %arg4 = 0 to %1 {
      affine.for %arg5 = 1 to #map()[%0] {
        affine.for %arg6 = 1 to #map()[%0] {
          %2 = affine.load %arg2[%arg5, %arg6] : memref<?x16xf32>
          %3 = affine.load %arg2[%arg5, %arg6 - 1] : memref<?x16xf32>
          %4 = arith.addf %2, %3 : f32
          %5 = affine.load %arg2[%arg5, %arg6 + 1] : memref<?x16xf32>
          %6 = arith.addf %4, %5 : f32
          %7 = affine.load %arg2[%arg5 + 1, %arg6] : memref<?x16xf32>
          %8 = arith.addf %6, %7 : f32
          %9 = affine.load %arg2[%arg5 - 1, %arg6] : memref<?x16xf32>
          %10 = arith.addf %8, %9 : f32
          %11 = arith.mulf %10, %cst : f32
          affine.store %11, %arg3[%arg5, %arg6] : memref<?x16xf32>
        }
      }
      affine.for %arg5 = 1 to #map()[%0] {
        affine.for %arg6 = 1 to #map()[%0] {
          %2 = affine.load %arg3[%arg5, %arg6] : memref<?x16xf32>
          affine.store %2, %arg2[%arg5, %arg6] : memref<?x16xf32>
        }
      }
    }
    return
  }
}
