module {
  func.func @hotspot(%temp: memref<14x14xf32>, %power: memref<14x14xf32>, %out: memref<14x14xf32>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %c = arith.constant 0.1 : f32
    %two = arith.constant 2.0 : f32
    affine.parallel (%i, %j) = (1, 1) to (13, 13) {
      %0 = affine.load %temp[%i, %j] : memref<14x14xf32>
      %n = affine.load %temp[%i - 1, %j] : memref<14x14xf32>
      %s = affine.load %temp[%i + 1, %j] : memref<14x14xf32>
      %w = affine.load %temp[%i, %j - 1] : memref<14x14xf32>
      %e = affine.load %temp[%i, %j + 1] : memref<14x14xf32>
      %p = affine.load %power[%i, %j] : memref<14x14xf32>
      %1 = arith.addf %n, %s : f32
      %2 = arith.mulf %0, %two : f32
      %3 = arith.subf %1, %2 : f32
      %4 = arith.addf %e, %w : f32
      %5 = arith.subf %4, %2 : f32
      %6 = arith.addf %3, %5 : f32
      %7 = arith.addf %6, %p : f32
      %8 = arith.mulf %7, %c : f32
      %9 = arith.addf %0, %8 : f32
      affine.store %9, %out[%i, %j] : memref<14x14xf32>
    }
    return
  }
}
