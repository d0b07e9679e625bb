// pimento: --size arg0=12,arg1:0=12
#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @gauss(%arg0: i32, %arg1: memref<?x12xf32>, %arg2: memref<12xf32>) {
    %0 = arith.index_cast %arg0 : i32 to index
    affine.for %arg3 = 0 to %0 {
      affine.for %arg4 = #map(%arg3) to %0 {
        %1 = affine.load %arg1[%arg4, %arg3] : memref<?x12xf32>
        %2 = affine.load %arg1[%arg3, %arg3] : memref<?x12xf32>
        %3 = arith.divf %1, %2 : f32
        affine.for %arg5 = #map(%arg3) to %0 {
          %7 = affine.load %arg1[%arg3, %arg5] : memref<?x12xf32>
          %8 = arith.mulf %3, %7 : f32
          %9 = affine.load %arg1[%arg4, %arg5] : memref<?x12xf32>
          %10 = arith.subf %9, %8 : f32
          affine.store %10, %arg1[%arg4, %arg5] : memref<?x12xf32>
        }
        %4 = affine.load %arg2[%arg3] : memref<12xf32>
        %5 = arith.mulf %3, %4 : f32
        %6 = affine.load %arg2[%arg4] : memref<12xf32>
        %11 = arith.subf %6, %5 : f32
        affine.store %11, %arg2[%arg4] : memref<12xf32>
      }
    }
    return
  }
}
