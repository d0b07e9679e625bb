// A dot product as CIRCT's users lower it to Calyx: a loop over memrefs that carries its sum.
func.func @dot(%a: memref<64xf32>, %b: memref<64xf32>, %o: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.000000e+00 : f32
  %0 = affine.for %i = 0 to 64 iter_args(%s = %zero) -> (f32) {
    %1 = affine.load %a[%i] : memref<64xf32>
    %2 = affine.load %b[%i] : memref<64xf32>
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %s, %3 : f32
    affine.yield %4 : f32
  }
  affine.store %0, %o[%c0] : memref<1xf32>
  return
}
