// Dynamic shapes that nobody states.
// PASSES: pimento-annotate{map=reference}
func.func @f(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16> {
  %z = linalg.add ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%y : tensor<?xf16>) -> tensor<?xf16>
  return %z : tensor<?xf16>
}
// CHECK: linalg.add
// CHECK-SAME: pimento.reason = "hbm-pim: the extent of dimension 0 of %arg0 is unknown"
// CHECK-NOT: time_ns
