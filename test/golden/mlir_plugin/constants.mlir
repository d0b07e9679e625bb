// Weights that are constants of the module need no attribute.
// PASSES: pimento-annotate{map=reference}
memref.global "private" constant @weights : memref<4096x1024xf16> = dense<1.0>
memref.global "private" @state : memref<4096x1024xf16> = dense<1.0>
func.func @f(%x: memref<1024xf16>, %y: memref<4096xf16>, %z: tensor<1024xf16>, %s: tensor<4096xf16>) -> tensor<4096xf16> {
  %A = memref.get_global @weights : memref<4096x1024xf16>
  linalg.matvec ins(%A, %x : memref<4096x1024xf16>, memref<1024xf16>) outs(%y : memref<4096xf16>)
  %B = memref.get_global @state : memref<4096x1024xf16>
  linalg.matvec ins(%B, %x : memref<4096x1024xf16>, memref<1024xf16>) outs(%y : memref<4096xf16>)
  %C = arith.constant dense<1.0> : tensor<4096x1024xf16>
  %t = linalg.matvec ins(%C, %z : tensor<4096x1024xf16>, tensor<1024xf16>) outs(%s : tensor<4096xf16>) -> tensor<4096xf16>
  return %t : tensor<4096xf16>
}
// CHECK: linalg.matvec
// CHECK-SAME: pimento.offload = true
// CHECK: linalg.matvec
// CHECK-SAME: pimento.offload = false
// CHECK: linalg.matvec
// CHECK-SAME: pimento.offload = true
