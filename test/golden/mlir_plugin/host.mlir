// The same product where the weights come along in every run: moving them takes longer than the device saves.
// PASSES: pimento-annotate{map=reference}
func.func @gemv(%A: memref<4096x4096xf16>, %x: memref<4096xf16>, %y: memref<4096xf16>) {
  linalg.matvec ins(%A, %x : memref<4096x4096xf16>, memref<4096xf16>) outs(%y : memref<4096xf16>)
  return
}
// CHECK: linalg.matvec
// CHECK-SAME: pimento.device_time_ns
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: pimento.reason = "hbm-pim: moving operands and results takes longer than the device saves"
// CHECK-SAME: pimento.time_ns = {{3\.61[0-9]+e\+04}} : f64
// CHECK-NOT: pimento.target
// CHECK-NOT: pimento.mapping
