func.func @tensor_pad(%a: tensor<8xf16>) -> tensor<10xf16> {
  %c = arith.constant 0.0 : f16
  %r = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f16
  } : tensor<8xf16> to tensor<10xf16>
  %e = tensor.empty() : tensor<10xf16>
  %s = linalg.exp ins(%r : tensor<10xf16>) outs(%e : tensor<10xf16>) -> tensor<10xf16>
  return %s : tensor<10xf16>
}
