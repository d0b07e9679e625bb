// Strided input, constant and index in the body.
func.func @generic(%a: memref<128xf16>, %c: memref<64xf16>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2 + 1)>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]} ins(%a : memref<128xf16>) outs(%c : memref<64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f16
    %s = arith.mulf %x, %f : f16
    linalg.yield %s : f16
  }
  return
}
