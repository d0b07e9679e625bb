// A product with weights that stay on the device: less time there, with mapping, energy and reason.
// PASSES: pimento-annotate{map=reference}
func.func @layer(%A: tensor<4096x1024xf16> {pimento.constant}, %x: tensor<1024xf16>) -> tensor<4096xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4096xf16>
  %start = linalg.fill ins(%zero : f16) outs(%empty : tensor<4096xf16>) -> tensor<4096xf16>
  %y = linalg.matvec ins(%A, %x : tensor<4096x1024xf16>, tensor<1024xf16>) outs(%start : tensor<4096xf16>) -> tensor<4096xf16>
  return %y : tensor<4096xf16>
}
// CHECK: linalg.fill
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: pimento.reason = "part of the op whose accumulation it initializes"
// CHECK-SAME: ins(%cst
// CHECK: linalg.matvec
// CHECK-SAME: pimento.device_time_ns = {{[0-9.e+]+}} : f64
// CHECK-SAME: pimento.energy_pj = {{[0-9]\.[0-9]+e\+07}} : f64
// CHECK-SAME: pimento.host_time_ns = 9.113000e+03 : f64
// CHECK-SAME: pimento.mapping = "
// CHECK-SAME: pimento.offload = true
// CHECK-SAME: pimento.reason = "faster than the host, transfers included; mapping: the reference mapping"
// CHECK-SAME: pimento.target = "hbm-pim"
// CHECK-SAME: pimento.time_ns = {{[0-9.e+]+}} : f64
