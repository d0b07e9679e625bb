// Dynamic shapes: one op is told its sizes by the option, one by its own attribute.
// PASSES: pimento-annotate{map=reference sizes=d0=4096,d1=1024,d2=8}
func.func @f(%A: memref<?x?xf16> {pimento.constant}, %x: memref<?xf16>, %y: memref<?xf16>, %z: memref<?xf16>) {
  linalg.matvec ins(%A, %x : memref<?x?xf16>, memref<?xf16>) outs(%y : memref<?xf16>)
  linalg.add {pimento.sizes = "d0=64"} ins(%x, %y : memref<?xf16>, memref<?xf16>) outs(%z : memref<?xf16>)
  return
}
// CHECK: linalg.matvec
// CHECK-SAME: pimento.host_time_ns = 9.1{{[0-9]*}}e+03
// CHECK-SAME: pimento.offload = true
// CHECK: linalg.add
// CHECK-SAME: pimento.host_time_ns = {{1\.[0-9]+e\+02}}
// CHECK-SAME: pimento.sizes = "d0=64"
