func.func @power(%A: tensor<16x16xf32>, %x0: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %eighth = arith.constant 1.250000e-01 : f32
  %r = scf.for %t = %c0 to %c5 step %c1 iter_args(%x = %x0) -> (tensor<16xf32>) {
    %e = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
    %y = linalg.matvec ins(%A, %x : tensor<16x16xf32>, tensor<16xf32>) outs(%f : tensor<16xf32>) -> tensor<16xf32>
    %n = linalg.map { arith.mulf } ins(%y, %y : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>)
    scf.yield %n : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}
