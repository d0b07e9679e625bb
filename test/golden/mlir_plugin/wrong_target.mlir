// A machine that does not exist is an error of the run, with a hint.
// PASSES: pimento-annotate{targets=hbm-pin}
// FAILS
func.func @f(%x: memref<8xf32>) {
  linalg.add ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%x : memref<8xf32>)
  return
}
// CHECK: error: pimento:
// CHECK-SAME: [unknown-target]
// CHECK-SAME: did you mean 'hbm-pim'?
