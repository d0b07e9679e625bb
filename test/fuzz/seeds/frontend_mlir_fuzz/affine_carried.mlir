func.func @f(%A: memref<4x6xf16>, %y: memref<4xf16>) {
  %z = arith.constant 0.5 : f32
  affine.for %i = 0 to 4 {
    %s = affine.for %j = 0 to 6 iter_args(%acc = %z) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<4x6xf16>
      %w = arith.extf %a : f16 to f32
      %t = arith.addf %acc, %w : f32
      affine.yield %t : f32
    }
    %n = arith.truncf %s : f32 to f16
    affine.store %n, %y[%i] : memref<4xf16>
  }
  return
}
