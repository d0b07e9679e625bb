// Within an op of nobody's dialect there is no place for a function: the op stays, with a warning.
// OPTIONS: --allow-unregistered-dialect
// PASSES: pimento-offload
"foo.region"() ({
  %t = "foo.tensor"() : () -> tensor<8xf16>
  %r = linalg.exp {pimento.offload = true} ins(%t : tensor<8xf16>) outs(%t : tensor<8xf16>) -> tensor<8xf16>
  "foo.use"(%r) : (tensor<8xf16>) -> ()
}) : () -> ()
// CHECK: linalg.exp
// CHECK-SAME: pimento.offload = true
// CHECK-NOT: func.func
