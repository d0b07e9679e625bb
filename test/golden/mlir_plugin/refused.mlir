// What has no dense form, no elements, too many, or parts of other dialects: reasons, never a crash.
// PASSES: pimento-annotate{map=reference},pimento-offload
#id = affine_map<(d0) -> (d0)>
#sparse = #sparse_tensor.encoding<{map = (d0) -> (d0 : compressed)}>
func.func @sparse(%a: tensor<8xf32, #sparse>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32, #sparse>) outs(%o : tensor<8xf32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.addf %x, %y : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @others(%e: tensor<0xf16>, %h: tensor<4000000000x4000000000xf16>, %c: tensor<8xcomplex<f32>>, %i: tensor<8xindex>)
    -> (tensor<0xf16>, tensor<4000000000x4000000000xf16>, tensor<8xcomplex<f32>>, tensor<8xindex>) {
  %0 = linalg.exp ins(%e : tensor<0xf16>) outs(%e : tensor<0xf16>) -> tensor<0xf16>
  %1 = linalg.exp ins(%h : tensor<4000000000x4000000000xf16>) outs(%h : tensor<4000000000x4000000000xf16>)
      -> tensor<4000000000x4000000000xf16>
  %2 = linalg.add ins(%c, %c : tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>) outs(%c : tensor<8xcomplex<f32>>)
      -> tensor<8xcomplex<f32>>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%i : tensor<8xindex>) outs(%i : tensor<8xindex>) {
  ^bb0(%x: index, %y: index):
    %s = index.add %x, %y
    linalg.yield %s : index
  } -> tensor<8xindex>
  return %0, %1, %2, %3 : tensor<0xf16>, tensor<4000000000x4000000000xf16>, tensor<8xcomplex<f32>>, tensor<8xindex>
}
// CHECK: linalg.generic
// CHECK-SAME: pimento.offload = false, pimento.reason = "tensors with an encoding (for example sparse ones) are not supported"
// CHECK: linalg.exp
// CHECK-SAME: extent 0"
// CHECK: linalg.exp
// CHECK-SAME: more than 2^48 elements"
// CHECK: linalg.add
// CHECK-SAME: element type 'complex<f32>' is not supported"
// CHECK: linalg.generic
// CHECK-SAME: operation 'index.add' (dialect 'index') is not supported"
