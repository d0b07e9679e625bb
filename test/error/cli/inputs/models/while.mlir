func.func @main(%x: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  scf.while : () -> () {
    %a = memref.load %x[%c0] : memref<1xf32>
    %c = arith.cmpf ogt, %a, %one : f32
    scf.condition(%c)
  } do {
    %a = memref.load %x[%c0] : memref<1xf32>
    %h = arith.mulf %a, %a : f32
    memref.store %h, %x[%c0] : memref<1xf32>
    scf.yield
  }
  return
}
