// Numbers of the machine, and a mapping, as options.
// PASSES: pimento-annotate{map="M1:{(64,1),(8,1),(1,16),(8,64)};cyclic(block,8);cyclic(channel,64);cyclic(lane,1)" set=timing.tRP=40}
func.func @f(%A: memref<4096x1024xf16> {pimento.constant}, %x: memref<1024xf16>, %y: memref<4096xf16>) {
  linalg.matvec ins(%A, %x : memref<4096x1024xf16>, memref<1024xf16>) outs(%y : memref<4096xf16>)
  return
}
// CHECK: linalg.matvec
// CHECK-SAME: pimento.mapping = "M1:{(64,1),(8,1),(1,16),(8,64)};cyclic(block,8);cyclic(channel,64);cyclic(lane,1)"
// CHECK-SAME: mapping: given"
