module {
  func.func @means(%n: f64, %data: memref<20x9xf64>, %mean: memref<9xf64>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %z = arith.constant 0.0 : f64
    affine.for %j = 0 to 9 {
      affine.store %z, %mean[%j] : memref<9xf64>
      affine.for %i = 0 to 20 {
        %0 = affine.load %data[%i, %j] : memref<20x9xf64>
        %1 = affine.load %mean[%j] : memref<9xf64>
        %2 = arith.addf %1, %0 : f64
        affine.store %2, %mean[%j] : memref<9xf64>
      }
      %3 = affine.load %mean[%j] : memref<9xf64>
      %4 = arith.divf %3, %n : f64
      affine.store %4, %mean[%j] : memref<9xf64>
    }
    return
  }
}
