func.func @main(%x: memref<200000xf32>, %y: memref<200000xf32>, %s: memref<f32>) {
  linalg.dot ins(%x, %y : memref<200000xf32>, memref<200000xf32>) outs(%s : memref<f32>)
  return
}
