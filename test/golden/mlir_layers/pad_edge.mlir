// pad edge, small.
func.func @main(%x: tensor<8xf32>, %v: f32) -> tensor<11xf32> {
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<11xf32>
  return %p : tensor<11xf32>
}
