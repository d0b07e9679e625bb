// The same in the generic form.
func.func @main(%A: tensor<8xi32>, %B: tensor<8xi32>) -> tensor<8xi32> {
  %r = "accel.launch"(%A, %B) <{device = 0 : i64}> ({
  ^bb0(%a: tensor<8xi32>, %b: tensor<8xi32>):
    %e = tensor.empty() : tensor<8xi32>
    %s = linalg.add ins(%a, %b : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
    "accel.yield"(%s) : (tensor<8xi32>) -> ()
  }) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}
