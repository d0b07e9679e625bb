// So is a number that the machine does not have.
// PASSES: pimento-annotate{set=timing.tRQ=40}
// FAILS
func.func @f() {
  return
}
// CHECK: error: pimento: the machine has no number or option 'timing.tRQ' [unknown-path]
