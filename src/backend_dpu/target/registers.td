// 24 registers per tasklet, even-odd pairs (the even register is the high word) and the read-only operands.
class DPUReg<bits<5> number, string text> : Register<text> {
  let HWEncoding{4-0} = number;
  let Namespace = "DPU";
}
let Namespace = "DPU" in {
  def sub_hi : SubRegIndex<32, 32>;
  def sub_lo : SubRegIndex<32, 0>;
}

foreach i = 0...23 in
  def R#i : DPUReg<i, "r"#i>, DwarfRegNum<[i]>;

let SubRegIndices = [sub_hi, sub_lo], CoveredBySubRegs = 1, Namespace = "DPU" in
  foreach i = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22] in
    def D#i : RegisterWithSubRegs<"d"#i, [!cast<Register>("R"#i), !cast<Register>("R"#!add(i, 1))]>;

let isConstant = 1 in {
  def ZERO : DPUReg<24, "zero">;
  def ID   : DPUReg<28, "id">;
}

// Scratch registers first, then those that a function must keep; r22 is the stack pointer, r23 the return address.
def GPR : RegisterClass<"DPU", [i32], 32, (add (sequence "R%u", 0, 23))>;
// What may stand first among the sources.
def GPRZ : RegisterClass<"DPU", [i32], 32, (add (sequence "R%u", 0, 23), ZERO, ID)> { let isAllocatable = 0; }
def DPair : RegisterClass<"DPU", [untyped], 64, (add D0, D2, D4, D6, D8, D10, D12, D14, D16, D18, D20, D22)> {
  let Size = 64;  // spilled whole: the type says nothing of it
}
