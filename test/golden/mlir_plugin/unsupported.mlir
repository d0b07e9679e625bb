// What cannot run on the device says why; what cannot even be read says so too. Neither is an error.
// PASSES: pimento-annotate{map=reference}
func.func @f(%a: tensor<1024xf16>, %b: tensor<1024xf16>, %s: tensor<2x3x3x5xf32>, %t: tensor<6x6x5x2xf32>,
             %i: memref<64xi32>, %o: memref<64xi32>) -> (tensor<1024xf16>, tensor<6x6x5x2xf32>) {
  %e = linalg.exp ins(%a : tensor<1024xf16>) outs(%b : tensor<1024xf16>) -> tensor<1024xf16>
  %w = linalg.winograd_filter_transform m(4) r(3) ins(%s : tensor<2x3x3x5xf32>) outs(%t : tensor<6x6x5x2xf32>)
      -> tensor<6x6x5x2xf32>
  linalg.add ins(%i, %i : memref<64xi32>, memref<64xi32>) outs(%o : memref<64xi32>)
  return %e, %w : tensor<1024xf16>, tensor<6x6x5x2xf32>
}
// CHECK: linalg.exp
// CHECK-SAME: pimento.host_time_ns
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: pimento.reason = "hbm-pim: the unit has no 'exp' operation"
// CHECK: linalg.winograd_filter_transform
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: pimento.reason = "hbm-pim: operation 'linalg.winograd_filter_transform' (dialect 'linalg') is not supported"
// CHECK: linalg.add
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: i32, but the unit computes in f16"
