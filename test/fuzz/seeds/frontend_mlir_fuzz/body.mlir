#ij = affine_map<(d0, d1) -> (d0, d1)>
#i = affine_map<(d0, d1) -> (d0 * 2 + 1)>
func.func @f(%a: memref<2x3xi32>, %s: i32, %y: memref<4xi32>) {
  linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<2x3xi32>) outs(%y : memref<4xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %c = arith.cmpi ult, %x, %k : i32
    %t = arith.select %c, %x, %s : i32
    %d = arith.divui %t, %k : i32
    %r = arith.addi %d, %o : i32
    linalg.yield %r : i32
  }
  return
}
