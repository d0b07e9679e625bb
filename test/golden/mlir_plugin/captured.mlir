// A body that reads values from outside: a constant goes along, another scalar becomes an argument.
// PASSES: pimento-annotate{map=reference},pimento-offload
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<1024xf16>, %scale: f16) -> tensor<1024xf16> {
  %two = arith.constant 2.0 : f16
  %e = tensor.empty() : tensor<1024xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"], pimento.offload = false}
      ins(%x : tensor<1024xf16>) outs(%e : tensor<1024xf16>) {
  ^bb0(%a: f16, %old: f16):
    %m = arith.mulf %a, %scale : f16
    %s = arith.addf %m, %two : f16
    linalg.yield %s : f16
  } -> tensor<1024xf16>
  return %y : tensor<1024xf16>
}
// CHECK: linalg.generic
// CHECK-SAME: pimento.host_time_ns
// CHECK-SAME: pimento.reason = "
