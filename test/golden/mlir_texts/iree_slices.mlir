// Tiles of tensors: slices in and out.
func.func @scale(%x: tensor<32x8xf32>, %y: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %i = %c0 to %c32 step %c8 iter_args(%o = %y) -> (tensor<32x8xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %b = tensor.extract_slice %o[%i, 0] [8, 8] [1, 1] : tensor<32x8xf32> to tensor<8x8xf32>
    %s = linalg.add ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%b : tensor<8x8xf32>) -> tensor<8x8xf32>
    %n = tensor.insert_slice %s into %o[%i, 0] [8, 8] [1, 1] : tensor<8x8xf32> into tensor<32x8xf32>
    scf.yield %n : tensor<32x8xf32>
  }
  return %r : tensor<32x8xf32>
}
