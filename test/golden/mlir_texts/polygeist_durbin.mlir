// pimento: --size arg0=10,arg1:0=10,arg2:0=10
#map = affine_map<(d0) -> (d0)>
module {
  func.func @kernel_durbin(%arg0: i32, %arg1: memref<?xf64>, %arg2: memref<?xf64>) {
    %cst = arith.constant 1.000000e+00 : f64
    %cst_0 = arith.constant 0.000000e+00 : f64
    %alloca = memref.alloca() : memref<10xf64>
    %0 = affine.load %arg1[0] : memref<?xf64>
    %1 = arith.negf %0 : f64
    affine.store %1, %arg2[0] : memref<?xf64>
    %2 = affine.load %arg1[0] : memref<?xf64>
    %3 = arith.negf %2 : f64
    %4 = arith.index_cast %arg0 : i32 to index
    %5:2 = affine.for %arg3 = 1 to %4 iter_args(%arg4 = %3, %arg5 = %cst) -> (f64, f64) {
      %6 = arith.mulf %arg4, %arg4 : f64
      %7 = arith.subf %cst, %6 : f64
      %8 = arith.mulf %7, %arg5 : f64
      %9 = affine.for %arg6 = 0 to #map(%arg3) iter_args(%arg7 = %cst_0) -> (f64) {
        %14 = affine.load %arg1[%arg3 - %arg6 - 1] : memref<?xf64>
        %15 = affine.load %arg2[%arg6] : memref<?xf64>
        %16 = arith.mulf %14, %15 : f64
        %17 = arith.addf %arg7, %16 : f64
        affine.yield %17 : f64
      }
      %10 = affine.load %arg1[%arg3] : memref<?xf64>
      %11 = arith.addf %10, %9 : f64
      %12 = arith.negf %11 : f64
      %13 = arith.divf %12, %8 : f64
      affine.for %arg6 = 0 to #map(%arg3) {
        %14 = affine.load %arg2[%arg6] : memref<?xf64>
        %15 = affine.load %arg2[%arg3 - %arg6 - 1] : memref<?xf64>
        %16 = arith.mulf %13, %15 : f64
        %17 = arith.addf %14, %16 : f64
        affine.store %17, %alloca[%arg6] : memref<10xf64>
      }
      affine.for %arg6 = 0 to #map(%arg3) {
        %14 = affine.load %alloca[%arg6] : memref<10xf64>
        affine.store %14, %arg2[%arg6] : memref<?xf64>
      }
      affine.store %13, %arg2[%arg3] : memref<?xf64>
      affine.yield %13, %8 : f64, f64
    }
    return
  }
}
