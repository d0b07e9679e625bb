// A convolution of C loops as Polygeist prints it: strides in the subscripts.
func.func @conv2d(%x: memref<3x13x13xf32>, %w: memref<6x3x3x3xf32>, %y: memref<6x6x6xf32>) {
  affine.for %o = 0 to 6 {
    affine.for %h = 0 to 6 {
      affine.for %v = 0 to 6 {
        affine.for %c = 0 to 3 {
          affine.for %r = 0 to 3 {
            affine.for %s = 0 to 3 {
              %0 = affine.load %x[%c, %h * 2 + %r, %v * 2 + %s] : memref<3x13x13xf32>
              %1 = affine.load %w[%o, %c, %r, %s] : memref<6x3x3x3xf32>
              %2 = arith.mulf %0, %1 : f32
              %3 = affine.load %y[%o, %h, %v] : memref<6x6x6xf32>
              %4 = arith.addf %3, %2 : f32
              affine.store %4, %y[%o, %h, %v] : memref<6x6x6xf32>
            }
          }
        }
      }
    }
  }
  return
}
