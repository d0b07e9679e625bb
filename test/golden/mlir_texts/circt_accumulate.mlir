func.func @accumulate(%a: memref<32xi32>, %b: memref<32xi32>, %r: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %z = arith.constant 0 : i32
  %s:2 = scf.while (%i = %c0, %acc = %z) : (index, i32) -> (index, i32) {
    %c = arith.cmpi ult, %i, %c32 : index
    scf.condition(%c) %i, %acc : index, i32
  } do {
  ^bb0(%i: index, %acc: i32):
    %x = memref.load %a[%i] : memref<32xi32>
    %y = memref.load %b[%i] : memref<32xi32>
    %m = arith.muli %x, %y : i32
    %n = arith.addi %acc, %m : i32
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n : index, i32
  }
  memref.store %s#1, %r[%c0] : memref<1xi32>
  return
}
