func.func @main(%x: memref<8xf32>, %y: memref<8xf32>) {
  affine.for %i = 0 to 9 {
    %a = affine.load %x[%i] : memref<8xf32>
    affine.store %a, %y[%i] : memref<8xf32>
  }
  return
}
