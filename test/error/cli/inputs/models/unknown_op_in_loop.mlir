func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %a = affine.load %x[%i] : memref<8xf32>
    %b = "mhlo.logistic"(%a) : (f32) -> f32
    affine.store %b, %y[%i] : memref<8xf32>
  }
  return
}
