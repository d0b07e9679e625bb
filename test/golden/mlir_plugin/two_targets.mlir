// Two machines to choose from: each has its own reason where neither is taken.
// PASSES: pimento-annotate{targets=hbm-pim,upmem map=reference}
func.func @f(%a: memref<65536xi32>, %b: memref<65536xi32>, %c: memref<65536xi32>) {
  linalg.add ins(%a, %b : memref<65536xi32>, memref<65536xi32>) outs(%c : memref<65536xi32>)
  return
}
// CHECK: linalg.add
// CHECK-SAME: pimento.offload = false
// CHECK-SAME: pimento.reason = "hbm-pim: tensor 'arg0' holds i32, but the unit computes in f16; upmem:
