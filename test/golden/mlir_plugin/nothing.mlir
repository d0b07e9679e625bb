// Modules without linalg ops stay as they are.
// PASSES: pimento-annotate,pimento-offload
func.func @f(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
// CHECK: arith.addf
// CHECK-NOT: pimento
