func.func @add(%x: tensor<?xf16>, %y: tensor<?xf16>, %z: tensor<?xf16>) -> tensor<?xf16> {
  %0 = linalg.add ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%z : tensor<?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
