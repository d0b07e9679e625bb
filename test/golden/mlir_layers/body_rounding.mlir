// Rounding in bodies: what each op makes of halves, zeros and large numbers.
func.func @main(%x: memref<64xf32>, %c: memref<64xf32>, %f: memref<64xf32>, %r: memref<64xf32>, %e: memref<64xf32>, %t: memref<64xf32>) {
  %big = arith.constant 2.5e+00 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%c, %f, %r, %e, %t : memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>) {
  ^bb0(%in: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32):
    %y = arith.mulf %in, %big : f32
    %0 = math.ceil %y : f32
    %1 = math.floor %y : f32
    %2 = math.round %y : f32
    %3 = math.roundeven %y : f32
    %4 = math.trunc %y : f32
    linalg.yield %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
  }
  return
}
