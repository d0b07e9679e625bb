--size d0=7
// y = alpha x + y, in place, of any length: state it by the name of the loop, d0.
//
//   pimento estimate examples/axpy.mlir --size d0=65536
#element = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

func.func @axpy(%alpha: f16, %x: memref<?xf16>, %y: memref<?xf16>) {
  linalg.generic {indexing_maps = [#scalar, #element, #element], iterator_types = ["parallel"]}
      ins(%alpha, %x : f16, memref<?xf16>) outs(%y : memref<?xf16>) {
  ^bb0(%a: f16, %b: f16, %old: f16):
    %scaled = arith.mulf %a, %b : f16
    %sum = arith.addf %old, %scaled : f16
    linalg.yield %sum : f16
  }
  return
}
