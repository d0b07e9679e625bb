// Three layers of a network, y = relu(W x + b), as a compiler has them before it decides where they run. Weights are the
// same in every run. run.sh drives it from here to LLVM IR.
#id = affine_map<(d0) -> (d0)>

func.func @mlp(%w0: tensor<4096x1024xf16> {pimento.constant}, %b0: tensor<4096xf16> {pimento.constant},
               %w1: tensor<4096x4096xf16> {pimento.constant}, %b1: tensor<4096xf16> {pimento.constant},
               %w2: tensor<64x4096xf16> {pimento.constant}, %x: tensor<1024xf16>) -> tensor<64xf16> {
  %zero = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<4096xf16>
  %s0 = linalg.fill ins(%zero : f16) outs(%e0 : tensor<4096xf16>) -> tensor<4096xf16>
  %m0 = linalg.matvec ins(%w0, %x : tensor<4096x1024xf16>, tensor<1024xf16>) outs(%s0 : tensor<4096xf16>) -> tensor<4096xf16>
  %h0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%m0, %b0 : tensor<4096xf16>, tensor<4096xf16>) outs(%e0 : tensor<4096xf16>) {
  ^bb0(%sum: f16, %bias: f16, %old: f16):
    %biased = arith.addf %sum, %bias : f16
    %positive = arith.maximumf %biased, %zero : f16
    linalg.yield %positive : f16
  } -> tensor<4096xf16>
  %m1 = linalg.matvec ins(%w1, %h0 : tensor<4096x4096xf16>, tensor<4096xf16>) outs(%s0 : tensor<4096xf16>) -> tensor<4096xf16>
  %h1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%m1, %b1 : tensor<4096xf16>, tensor<4096xf16>) outs(%e0 : tensor<4096xf16>) {
  ^bb0(%sum: f16, %bias: f16, %old: f16):
    %biased = arith.addf %sum, %bias : f16
    %positive = arith.maximumf %biased, %zero : f16
    linalg.yield %positive : f16
  } -> tensor<4096xf16>
  %e2 = tensor.empty() : tensor<64xf16>
  %s2 = linalg.fill ins(%zero : f16) outs(%e2 : tensor<64xf16>) -> tensor<64xf16>
  %y = linalg.matvec ins(%w2, %h1 : tensor<64x4096xf16>, tensor<4096xf16>) outs(%s2 : tensor<64xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}
