// A tensor written element by element, in rounds.
func.func @triangle(%x: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %x) -> (tensor<8x8xi32>) {
    %u = scf.for %j = %c0 to %i step %c1 iter_args(%v = %t) -> (tensor<8x8xi32>) {
      %a = tensor.extract %x[%j, %i] : tensor<8x8xi32>
      %n = tensor.insert %a into %v[%i, %j] : tensor<8x8xi32>
      scf.yield %n : tensor<8x8xi32>
    }
    scf.yield %u : tensor<8x8xi32>
  }
  return %r : tensor<8x8xi32>
}
