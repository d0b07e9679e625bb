// Views into larger arrays, in a memory space of their own: asked about as dense ones, outlined as they are.
// PASSES: pimento-annotate{map=reference},pimento-offload
func.func @f(%A: memref<8192x2048xf16, 1> {pimento.constant}, %x: memref<1024xf16>, %y: memref<4096xf16>) {
  %V = memref.subview %A[0, 0] [4096, 1024] [2, 2]
      : memref<8192x2048xf16, 1> to memref<4096x1024xf16, strided<[4096, 2]>, 1>
  linalg.matvec {pimento.offload = true} ins(%V, %x : memref<4096x1024xf16, strided<[4096, 2]>, 1>, memref<1024xf16>) outs(%y : memref<4096xf16>)
  return
}
// CHECK: linalg.matvec
// CHECK-SAME: pimento.device_time_ns
// CHECK-SAME: pimento.reason = "hbm-pim: moving operands and results takes longer than the device saves"
