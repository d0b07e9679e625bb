// Polygeist keeps small functions: a call in a loop nest.
func.func @main(%a: memref<8x16xi32>, %x: memref<16xi32>, %y: memref<8xi32>) {
  affine.for %i = 0 to 8 {
    %c0 = arith.constant 0 : i32
    affine.store %c0, %y[%i] : memref<8xi32>
    affine.for %j = 0 to 16 {
      %u = affine.load %a[%i, %j] : memref<8x16xi32>
      %v = affine.load %x[%j] : memref<16xi32>
      %p = func.call @mac(%u, %v) : (i32, i32) -> i32
      %o = affine.load %y[%i] : memref<8xi32>
      %s = arith.addi %o, %p : i32
      affine.store %s, %y[%i] : memref<8xi32>
    }
  }
  return
}
func.func private @mac(%a: i32, %b: i32) -> i32 {
  %p = arith.muli %a, %b : i32
  return %p : i32
}
