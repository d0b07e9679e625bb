// Ops in loops, in conditions and in modules within modules.
// PASSES: pimento-annotate{map=reference},pimento-offload
module @outer {
  module @inner {
    func.func @f(%A: memref<4096x1024xf16> {pimento.constant}, %x: memref<1024xf16>, %y: memref<4096xf16>, %p: i1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %i = %c0 to %c8 step %c1 {
        scf.if %p {
          linalg.matvec ins(%A, %x : memref<4096x1024xf16>, memref<1024xf16>) outs(%y : memref<4096xf16>)
        }
      }
      return
    }
  }
}
// CHECK: module @inner
// CHECK: scf.if
// CHECK-NEXT: func.call @f_device_matvec(%arg0, %arg1, %arg2)
// CHECK: func.func private @f_device_matvec(%arg0: memref<4096x1024xf16> {pimento.constant}, %arg1: memref<1024xf16>, %arg2: memref<4096xf16>)
// CHECK-SAME: pimento.device
// CHECK-SAME: pimento.target = "hbm-pim"
// CHECK: linalg.matvec
