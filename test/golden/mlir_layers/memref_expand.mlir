// Shapes of memrefs.
func.func @main(%x: memref<4x1x6xf32>, %y: memref<24xf32>) {
  %a = memref.collapse_shape %x [[0, 1], [2]] : memref<4x1x6xf32> into memref<4x6xf32>
  %b = memref.expand_shape %y [[0, 1]] output_shape [4, 6] : memref<24xf32> into memref<4x6xf32>
  linalg.exp ins(%a : memref<4x6xf32>) outs(%b : memref<4x6xf32>)
  return
}
