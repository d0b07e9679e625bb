func.func @f(%x: memref<16xi32>, %y: memref<16xi32>) attributes {pimento.target = "upmem"} {
  linalg.add {pimento.kernel = "sum",
              pimento.mapping = "M1:{(1),(1),(4),(2)};program=compiled"}
    ins(%x, %x : memref<16xi32>, memref<16xi32>) outs(%y : memref<16xi32>)
  return
}
