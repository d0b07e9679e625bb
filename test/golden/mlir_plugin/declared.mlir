// Declarations alone: of what is outlined now, and of what was before.
// PASSES: pimento-offload{declare}
func.func private @old(%x: memref<8xf32>) attributes {pimento.device} {
  linalg.add {pimento.offload = true} ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%x : memref<8xf32>)
  return
}
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>) {
  call @old(%x) : (memref<8xf32>) -> ()
  linalg.exp {pimento.offload = true} ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
// CHECK: func.func private @old(memref<8xf32>) attributes {pimento.device}
// CHECK: func.func @f
// CHECK: call @f_device_exp(%arg0, %arg1)
// CHECK: func.func private @f_device_exp(memref<8xf32>, memref<8xf32>) attributes {pimento.device}
// CHECK-NOT: linalg
