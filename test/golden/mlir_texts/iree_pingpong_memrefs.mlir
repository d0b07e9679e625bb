func.func @heat(%A: memref<32xf32>, %B: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c31 = arith.constant 31 : index
  %half = arith.constant 0.5 : f32
  %r:2 = scf.for %t = %c0 to %c9 step %c1 iter_args(%a = %A, %b = %B) -> (memref<32xf32>, memref<32xf32>) {
    scf.for %i = %c1 to %c31 step %c1 {
      %l = arith.subi %i, %c1 : index
      %h = arith.addi %i, %c1 : index
      %x = memref.load %a[%l] : memref<32xf32>
      %y = memref.load %a[%h] : memref<32xf32>
      %s = arith.addf %x, %y : f32
      %m = arith.mulf %s, %half : f32
      memref.store %m, %b[%i] : memref<32xf32>
    }
    scf.yield %b, %a : memref<32xf32>, memref<32xf32>
  }
  return
}
