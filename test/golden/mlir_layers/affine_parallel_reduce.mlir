// affine.parallel with a result.
func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %o: memref<2xf32>) {
  %r:2 = affine.parallel (%i) = (0) to (64) reduce ("addf", "maximumf") -> (f32, f32) {
    %a = affine.load %x[%i] : memref<64xf32>
    %b = affine.load %y[%i] : memref<64xf32>
    %p = arith.mulf %a, %b : f32
    affine.yield %p, %a : f32, f32
  }
  affine.store %r#0, %o[0] : memref<2xf32>
  affine.store %r#1, %o[1] : memref<2xf32>
  return
}
