// Bodies on i1 and unsigned bytes.
func.func @main(%x: tensor<32xi8>, %y: tensor<32xi8>) -> tensor<32xi8> {
  %0 = tensor.empty() : tensor<32xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<32xi8>, tensor<32xi8>) outs(%0 : tensor<32xi8>) {
  ^bb0(%in: i8, %in_0: i8, %out: i8):
    %a = arith.cmpi ult, %in, %in_0 : i8
    %b = arith.cmpi slt, %in, %in_0 : i8
    %c = arith.addi %a, %b : i1
    %d = arith.cmpi ugt, %a, %b : i1
    %e = arith.ori %c, %d : i1
    %f = arith.maxui %a, %b : i1
    %g = arith.muli %e, %f : i1
    %h = arith.select %g, %in, %in_0 : i8
    %k = arith.extui %e : i1 to i8
    %r = arith.addi %h, %k : i8
    linalg.yield %r : i8
  } -> tensor<32xi8>
  return %1 : tensor<32xi8>
}
