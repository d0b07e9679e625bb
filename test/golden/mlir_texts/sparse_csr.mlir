// y = A x, A in compressed rows, as sparse code generation writes it.
func.func @spmv(%pos: memref<33xi32>, %crd: memref<200xi32>, %val: memref<200xf32>, %x: memref<40xf32>,
                %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %old = memref.load %y[%i] : memref<32xf32>
    %lo32 = memref.load %pos[%i] : memref<33xi32>
    %lo64 = arith.extui %lo32 : i32 to i64
    %lo = arith.index_cast %lo64 : i64 to index
    %n = arith.addi %i, %c1 : index
    %hi32 = memref.load %pos[%n] : memref<33xi32>
    %hi64 = arith.extui %hi32 : i32 to i64
    %hi = arith.index_cast %hi64 : i64 to index
    %sum = scf.for %e = %lo to %hi step %c1 iter_args(%acc = %old) -> (f32) {
      %j32 = memref.load %crd[%e] : memref<200xi32>
      %j64 = arith.extui %j32 : i32 to i64
      %j = arith.index_cast %j64 : i64 to index
      %a = memref.load %val[%e] : memref<200xf32>
      %b = memref.load %x[%j] : memref<40xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %acc, %p : f32
      scf.yield %s : f32
    } {"Emitted from" = "linalg.generic"}
    memref.store %sum, %y[%i] : memref<32xf32>
  } {"Emitted from" = "linalg.generic"}
  return
}
