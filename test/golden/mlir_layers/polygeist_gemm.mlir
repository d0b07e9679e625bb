// gemm of PolyBench as Polygeist prints it: affine loops over memrefs.
module attributes {llvm.data_layout = "e-m:e-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @kernel_gemm(%arg0: f32, %arg1: f32, %arg2: memref<20x25xf32>, %arg3: memref<20x30xf32>, %arg4: memref<30x25xf32>) {
    affine.for %i = 0 to 20 {
      affine.for %j = 0 to 25 {
        %0 = affine.load %arg2[%i, %j] : memref<20x25xf32>
        %1 = arith.mulf %0, %arg1 : f32
        affine.store %1, %arg2[%i, %j] : memref<20x25xf32>
      }
      affine.for %k = 0 to 30 {
        affine.for %j = 0 to 25 {
          %0 = affine.load %arg3[%i, %k] : memref<20x30xf32>
          %1 = arith.mulf %arg0, %0 : f32
          %2 = affine.load %arg4[%k, %j] : memref<30x25xf32>
          %3 = arith.mulf %1, %2 : f32
          %4 = affine.load %arg2[%i, %j] : memref<20x25xf32>
          %5 = arith.addf %4, %3 : f32
          affine.store %5, %arg2[%i, %j] : memref<20x25xf32>
        }
      }
    }
    return
  }
}
