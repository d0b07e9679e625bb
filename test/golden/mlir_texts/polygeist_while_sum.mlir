// pimento: --size arg0=29,arg1:0=29
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<"dlti.endianness", "little">>, llvm.data_layout = "e-m:e-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  func.func @sum(%arg0: i32, %arg1: memref<?xi32>, %arg2: memref<1xi32>) attributes {llvm.linkage = #llvm.linkage<external>} {
    %c1_i32 = arith.constant 1 : i32
    %c0_i32 = arith.constant 0 : i32
    %0:2 = scf.while (%arg3 = %c0_i32, %arg4 = %c0_i32) : (i32, i32) -> (i32, i32) {
      %1 = arith.cmpi slt, %arg4, %arg0 : i32
      scf.condition(%1) %arg3, %arg4 : i32, i32
    } do {
    ^bb0(%arg3: i32, %arg4: i32):
      %1 = arith.index_cast %arg4 : i32 to index
      %2 = memref.load %arg1[%1] : memref<?xi32>
      %3 = arith.addi %arg3, %2 : i32
      %4 = arith.addi %arg4, %c1_i32 : i32
      scf.yield %3, %4 : i32, i32
    }
    affine.store %0#0, %arg2[0] : memref<1xi32>
    return
  }
}
