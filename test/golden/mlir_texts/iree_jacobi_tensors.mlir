// Ping-pong on tensors: rounds that exchange two tensors.
func.func @jacobi(%a0: tensor<34xf32>, %k: tensor<3xf32>) -> tensor<34xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<34xf32>
  %b0 = linalg.copy ins(%a0 : tensor<34xf32>) outs(%s : tensor<34xf32>) -> tensor<34xf32>
  %e = tensor.empty() : tensor<32xf32>
  %r:2 = scf.for %t = %c0 to %c7 step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<34xf32>, tensor<34xf32>) {
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
    %n = linalg.conv_1d ins(%a, %k : tensor<34xf32>, tensor<3xf32>) outs(%f : tensor<32xf32>) -> tensor<32xf32>
    %m = tensor.insert_slice %n into %b[1] [32] [1] : tensor<32xf32> into tensor<34xf32>
    scf.yield %m, %a : tensor<34xf32>, tensor<34xf32>
  }
  return %r#0 : tensor<34xf32>
}
