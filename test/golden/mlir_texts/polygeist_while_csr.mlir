func.func @rows(%row: memref<9xi32>, %val: memref<32xf32>, %y: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : i32
  affine.for %i = 0 to 8 {
    %lo = affine.load %row[%i] : memref<9xi32>
    %r:2 = scf.while (%e = %lo, %s = %z) : (i32, f32) -> (i32, f32) {
      %hi = affine.load %row[%i + 1] : memref<9xi32>
      %c = arith.cmpi slt, %e, %hi : i32
      scf.condition(%c) %e, %s : i32, f32
    } do {
    ^bb0(%e: i32, %s: f32):
      %k = arith.index_cast %e : i32 to index
      %v = memref.load %val[%k] : memref<32xf32>
      %t = arith.addf %s, %v : f32
      %n = arith.addi %e, %c1 : i32
      scf.yield %n, %t : i32, f32
    }
    affine.store %r#1, %y[%i] : memref<8xf32>
  }
  return
}
