// What is outlined: the fill goes along, other users of it keep theirs; names that are taken are left alone; the op that
// is to stay stays.
// PASSES: pimento-offload
func.func private @f_device_matvec()
func.func @f(%A: tensor<8x4xf32>, %x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.matvec {pimento.offload = true, pimento.target = "t", pimento.mapping = "m"}
      ins(%A, %x : tensor<8x4xf32>, tensor<4xf32>) outs(%start : tensor<8xf32>) -> tensor<8xf32>
  %z = linalg.add {pimento.offload = true} ins(%y, %y : tensor<8xf32>, tensor<8xf32>) outs(%start : tensor<8xf32>) -> tensor<8xf32>
  %w = linalg.exp {pimento.offload = false} ins(%y : tensor<8xf32>) outs(%start : tensor<8xf32>) -> tensor<8xf32>
  return %y, %z, %w : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// CHECK: func.func private @f_device_matvec()
// CHECK: func.func @f(
// CHECK: linalg.fill
// CHECK: %[[Y:.*]] = call @f_device_matvec_{{[0-9]+}}(%arg0, %arg1) : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: = call @f_device_add(%
// CHECK-NEXT: linalg.exp
// CHECK: func.func private @f_device_matvec_{{[0-9]+}}(%arg0: tensor<8x4xf32>, %arg1: tensor<4xf32>)
// CHECK-SAME: attributes {pimento.device, pimento.mapping = "m", pimento.target = "t"}
// CHECK: linalg.fill
// CHECK: linalg.matvec
// CHECK: func.func private @f_device_add(%arg0: tensor<8xf32>)
