func.func @main(%x: memref<1xf32>, %c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}
