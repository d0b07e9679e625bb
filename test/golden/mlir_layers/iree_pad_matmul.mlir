func.func @padded(%a: tensor<13x20xf32>, %b: tensor<20x9xf32>) -> tensor<13x9xf32> {
  %z = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %pa = tensor.pad %a low[0, 0] high[%c3, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<13x20xf32> to tensor<16x20xf32>
  %pb = tensor.pad %b low[0, 0] high[0, %c7] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<20x9xf32> to tensor<20x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.matmul ins(%pa, %pb : tensor<16x20xf32>, tensor<20x16xf32>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %r = tensor.extract_slice %m[0, 0] [13, 9] [1, 1] : tensor<16x16xf32> to tensor<13x9xf32>
  return %r : tensor<13x9xf32>
}
