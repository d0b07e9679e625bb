// An op with two results, outlined with both.
// PASSES: pimento-annotate{map=reference},pimento-offload
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<64xf16>, %a: tensor<64xf16>, %b: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<64xf16>) outs(%a, %b : tensor<64xf16>, tensor<64xf16>) {
  ^bb0(%e: f16, %p: f16, %q: f16):
    %s = arith.addf %e, %e : f16
    %t = arith.mulf %e, %e : f16
    linalg.yield %s, %t : f16, f16
  } -> (tensor<64xf16>, tensor<64xf16>)
  return %r#0, %r#1 : tensor<64xf16>, tensor<64xf16>
}
// CHECK: linalg.generic
// CHECK-SAME: pimento.reason
