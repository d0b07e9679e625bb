// pimento: --size n=3
func.func @pad1d(%x: tensor<5x8xf32>, %n: index) -> tensor<5x?xf32> {
  %cst = arith.constant -1.0 : f32
  %p = tensor.pad %x low[0, %n] high[0, %n] {
  ^bb0(%i: index, %j: index):
    tensor.yield %cst : f32
  } : tensor<5x8xf32> to tensor<5x?xf32>
  return %p : tensor<5x?xf32>
}
