func.func @affine_parallel(%x: memref<4096xf16>, %y: memref<4096xf16>, %z: memref<4096xf16>) {
  affine.parallel (%i) = (0) to (4096) {
    %a = affine.load %x[%i] : memref<4096xf16>
    %b = affine.load %y[%i] : memref<4096xf16>
    %s = arith.mulf %a, %b : f16
    affine.store %s, %z[%i] : memref<4096xf16>
  }
  return
}
