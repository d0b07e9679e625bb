// The instructions that the code generator uses. The full set is a table of room `dpu`; texts here are its dialect.
//
// Every arithmetic or logic instruction changes the flags, loads, stores and jumps do not. Nothing models flags: what
// needs them is one instruction here (compare and branch) or a pseudo that becomes two neighbours at the very end.

class DPUInst<dag outs, dag ins, string text, list<dag> pattern = []> : Instruction {
  let Namespace = "DPU";
  let OutOperandList = outs;
  let InOperandList = ins;
  let AsmString = text;
  let Pattern = pattern;
  let Size = 8;
}
class Pseudo<dag outs, dag ins, list<dag> pattern = []> : DPUInst<outs, ins, "", pattern> {
  let isPseudo = 1;
  let hasNoSchedulingInfo = 1;
}

// ---- operands

def cc : Operand<i32> { let PrintMethod = "printCondition"; }
def branchTarget : Operand<OtherVT> { let OperandType = "OPERAND_PCREL"; }
def callTarget : Operand<i32>;
def shiftAmount : Operand<i32>, ImmLeaf<i32, "return Imm >= 0 && Imm < 32;">;
def imm8  : ImmLeaf<i32, "return isInt<8>(Imm);">;
def imm11 : Operand<i32>, ImmLeaf<i32, "return isInt<11>(Imm);">;
def imm16 : Operand<i32>, ImmLeaf<i32, "return isInt<16>(Imm);">;
def imm24 : Operand<i32>, ImmLeaf<i32, "return isInt<24>(Imm);">;
// A number or the address of something.
def word : Operand<i32>;

// Base register and 24-bit displacement; `sym` as displacement from zero.
def address : Operand<i32> {
  let PrintMethod = "printAddress";
  let MIOperandInfo = (ops GPRZ:$base, word:$offset);
}
def addressWide : ComplexPattern<iPTR, 2, "selectAddress", [frameindex]>;
def addressNarrow : ComplexPattern<iPTR, 2, "selectNarrowAddress", [frameindex]>;

// ---- nodes

def SDT_CallStart : SDCallSeqStart<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def SDT_CallEnd : SDCallSeqEnd<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def callStart : SDNode<"ISD::CALLSEQ_START", SDT_CallStart, [SDNPHasChain, SDNPOutGlue]>;
def callEnd : SDNode<"ISD::CALLSEQ_END", SDT_CallEnd, [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue]>;
def dpuCall : SDNode<"DPUISD::CALL", SDTypeProfile<0, -1, [SDTCisPtrTy<0>]>,
                     [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;
def dpuReturn : SDNode<"DPUISD::RETURN", SDTNone, [SDNPHasChain, SDNPOptInGlue, SDNPVariadic]>;
def dpuAddress : SDNode<"DPUISD::ADDRESS", SDTypeProfile<1, 1, [SDTCisSameAs<0, 1>, SDTCisVT<0, i32>]>>;

def SDT_Product8 : SDTypeProfile<1, 2, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>]>;
foreach a = ["sl", "sh", "ul", "uh"] in
  foreach b = ["sl", "sh", "ul", "uh"] in
    def mul_#a#_#b : SDNode<"DPUISD::MUL_"#!toupper(a)#"_"#!toupper(b), SDT_Product8>;

def SDT_Multiply : SDTypeProfile<1, 2, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>]>;
def dpuMultiply : SDNode<"DPUISD::MULTIPLY", SDT_Multiply, [SDNPCommutative]>;
def SDT_Select : SDTypeProfile<1, 5, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>, SDTCisVT<3, i32>,
                                      SDTCisVT<4, i32>, SDTCisVT<5, i32>]>;
def dpuSelect : SDNode<"DPUISD::SELECT", SDT_Select>;
def SDT_Set : SDTypeProfile<1, 3, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>, SDTCisVT<3, i32>]>;
def dpuSet : SDNode<"DPUISD::SET", SDT_Set>;
def SDT_Branch : SDTypeProfile<0, 4, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>, SDTCisVT<3, OtherVT>]>;
def dpuBranch : SDNode<"DPUISD::BRANCH", SDT_Branch, [SDNPHasChain]>;

// ---- arithmetic and logic; each with its form that branches on the result

// Finds the form with condition and target.
class HasBranchForm { string Base = ""; string IsBranch = "0"; }
def branchForm : InstrMapping {
  let FilterClass = "HasBranchForm";
  let RowFields = ["Base"];
  let ColFields = ["IsBranch"];
  let KeyCol = ["0"];
  let ValueCols = [["1"]];
}

multiclass WithBranch<dag sources, string text, list<dag> pattern> {
  def NAME : DPUInst<(outs GPR:$rc), sources, text, pattern>, HasBranchForm { let Base = NAME; }
  let isBranch = 1, isTerminator = 1, hasSideEffects = 0 in
  def NAME#_J : DPUInst<(outs GPR:$rc), !con(sources, (ins cc:$cc, branchTarget:$target)), text#", $cc, $target">,
                HasBranchForm { let Base = NAME; let IsBranch = "1"; }
}

multiclass Binary<string mnemonic, SDPatternOperator op> {
  defm rr : WithBranch<(ins GPR:$ra, GPR:$rb), mnemonic#"\t$rc, $ra, $rb",
                       [(set i32:$rc, (op i32:$ra, i32:$rb))]>;
  defm ri : WithBranch<(ins GPR:$ra, word:$imm), mnemonic#"\t$rc, $ra, $imm",
                       [(set i32:$rc, (op i32:$ra, imm:$imm))]>;
}
multiclass Shift<string mnemonic, SDPatternOperator op> {
  defm rr : WithBranch<(ins GPR:$ra, GPR:$rb), mnemonic#"\t$rc, $ra, $rb",
                       [(set i32:$rc, (op i32:$ra, i32:$rb))]>;
  defm ri : WithBranch<(ins GPR:$ra, shiftAmount:$shift), mnemonic#"\t$rc, $ra, $shift",
                       [(set i32:$rc, (op i32:$ra, shiftAmount:$shift))]>;
}
multiclass Unary<string mnemonic, dag pattern> {
  defm "" : WithBranch<(ins GPR:$ra), mnemonic#"\t$rc, $ra", [(set i32:$rc, pattern)]>;
}

let hasSideEffects = 0 in {
let isCommutable = 1 in {
  defm ADD : Binary<"add", add>;
  defm AND : Binary<"and", and>;
  defm OR  : Binary<"or", or>;
  defm XOR : Binary<"xor", xor>;
}
defm SUBrr : WithBranch<(ins GPR:$ra, GPR:$rb), "sub\t$rc, $ra, $rb", [(set i32:$rc, (sub i32:$ra, i32:$rb))]>;
defm SUBir : WithBranch<(ins word:$imm, GPR:$ra), "sub\t$rc, $imm, $ra", [(set i32:$rc, (sub imm:$imm, i32:$ra))]>;
defm ANDN : WithBranch<(ins GPR:$ra, GPR:$rb), "andn\t$rc, $ra, $rb",
                       [(set i32:$rc, (and (not i32:$ra), i32:$rb))]>;
defm ORN : WithBranch<(ins GPR:$ra, GPR:$rb), "orn\t$rc, $ra, $rb",
                       [(set i32:$rc, (or (not i32:$ra), i32:$rb))]>;
defm NXOR : WithBranch<(ins GPR:$ra, GPR:$rb), "nxor\t$rc, $ra, $rb",
                       [(set i32:$rc, (not (xor i32:$ra, i32:$rb)))]>;
defm LSL : Shift<"lsl", shl>;
defm LSR : Shift<"lsr", srl>;
defm ASR : Shift<"asr", sra>;
defm ROL : Shift<"rol", rotl>;
defm ROR : Shift<"ror", rotr>;
defm EXTSB : Unary<"extsb", (sext_inreg i32:$ra, i8)>;
defm EXTSH : Unary<"extsh", (sext_inreg i32:$ra, i16)>;
defm EXTUB : Unary<"extub", (and i32:$ra, 255)>;
defm EXTUH : Unary<"extuh", (and i32:$ra, 65535)>;
let AddedComplexity = 10 in {
  defm CLZ : Unary<"clz", (ctlz i32:$ra)>;
  defm CAO : Unary<"cao", (ctpop i32:$ra)>;
  defm NOT : Unary<"not", (not i32:$ra)>;
}

// rb and a shifted ra.
multiclass ShiftedOperand<string mnemonic, SDPatternOperator op, SDPatternOperator shift> {
  defm "" : WithBranch<(ins GPR:$rb, GPR:$ra, shiftAmount:$shift), mnemonic#"\t$rc, $rb, $ra, $shift",
                       [(set i32:$rc, (op i32:$rb, (shift i32:$ra, shiftAmount:$shift)))]>;
}
let AddedComplexity = 5 in {
  defm LSL_ADD : ShiftedOperand<"lsl_add", add, shl>;
  defm LSR_ADD : ShiftedOperand<"lsr_add", add, srl>;
  defm ROL_ADD : ShiftedOperand<"rol_add", add, rotl>;
  defm LSL_SUB : ShiftedOperand<"lsl_sub", sub, shl>;
}

// Products of 8-bit halves of the low 16 bits.
foreach a = ["sl", "sh", "ul", "uh"] in
  foreach b = ["sl", "sh", "ul", "uh"] in
    if !not(!and(!eq(!substr(a, 0, 1), "u"), !eq(!substr(b, 0, 1), "s"))) then
      defm MUL_#!toupper(a)#"_"#!toupper(b) :
        WithBranch<(ins GPR:$ra, GPR:$rb), "mul_"#a#"_"#b#"\t$rc, $ra, $rb",
                   [(set i32:$rc, (!cast<SDNode>("mul_"#a#"_"#b) i32:$ra, i32:$rb))]>;

let isReMaterializable = 1, isAsCheapAsAMove = 1, isMoveImm = 1 in
  defm MOVEri : WithBranch<(ins word:$imm), "move\t$rc, $imm", [(set i32:$rc, imm:$imm)]>;
let isMoveReg = 1 in
  defm MOVErr : WithBranch<(ins GPRZ:$ra), "move\t$rc, $ra", []>;
def MOVD : DPUInst<(outs DPair:$dc), (ins DPair:$db), "movd\t$dc, $db">;
}

def : Pat<(dpuAddress tglobaladdr:$a), (MOVEri tglobaladdr:$a)>;
def : Pat<(dpuAddress texternalsym:$a), (MOVEri texternalsym:$a)>;
def : Pat<(dpuAddress tblockaddress:$a), (MOVEri tblockaddress:$a)>;
def : Pat<(dpuAddress tjumptable:$a), (MOVEri tjumptable:$a)>;
def : Pat<(dpuAddress tconstpool:$a), (MOVEri tconstpool:$a)>;
def : Pat<(add i32:$ra, (dpuAddress tglobaladdr:$a)), (ADDri GPR:$ra, tglobaladdr:$a)>;
def : Pat<(add i32:$ra, (dpuAddress tjumptable:$a)), (ADDri GPR:$ra, tjumptable:$a)>;
def : Pat<(add i32:$ra, (dpuAddress tconstpool:$a)), (ADDri GPR:$ra, tconstpool:$a)>;

// ---- compare: result 0 or 1, and branch

let hasSideEffects = 0 in {
  def SETrr : DPUInst<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, GPR:$rb), "sub\t$rc, $ra, $rb, $cc",
                      [(set i32:$rc, (dpuSet timm:$cc, i32:$ra, i32:$rb))]>;
  def SETri : DPUInst<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, imm24:$imm), "sub\t$rc, $ra, $imm, $cc",
                      [(set i32:$rc, (dpuSet timm:$cc, i32:$ra, imm24:$imm))]>;
}
let isBranch = 1, isTerminator = 1 in {
  def Jrr : DPUInst<(outs), (ins cc:$cc, GPR:$ra, GPR:$rb, branchTarget:$target), "j$cc\t$ra, $rb, $target",
                    [(dpuBranch timm:$cc, i32:$ra, i32:$rb, bb:$target)]>;
  def Jri : DPUInst<(outs), (ins cc:$cc, GPR:$ra, imm11:$imm, branchTarget:$target), "j$cc\t$ra, $imm, $target",
                    [(dpuBranch timm:$cc, i32:$ra, imm11:$imm, bb:$target)]>;
  let isBarrier = 1 in {
    def JUMP : DPUInst<(outs), (ins branchTarget:$target), "jump\t$target", [(br bb:$target)]>;
    let isIndirectBranch = 1 in
      def JUMPr : DPUInst<(outs), (ins GPR:$ra), "jump\t$ra", [(brind i32:$ra)]>;
  }
}

let usesCustomInserter = 1, hasSideEffects = 0 in {
  def SELECTrr : Pseudo<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, GPR:$rb, GPR:$yes, GPR:$no),
                        [(set i32:$rc, (dpuSelect timm:$cc, i32:$ra, i32:$rb, i32:$yes, i32:$no))]>;
  def SELECTri : Pseudo<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, imm11:$imm, GPR:$yes, GPR:$no),
                        [(set i32:$rc, (dpuSelect timm:$cc, i32:$ra, imm11:$imm, i32:$yes, i32:$no))]>;
  def SELECT64 : Pseudo<(outs GPR:$rc), (ins cc:$cc, GPR:$alo, GPR:$ahi, GPR:$blo, GPR:$bhi, GPR:$yes, GPR:$no)>;
}

// ---- 64-bit operations: pseudos that become two neighbours, the carry between them in the flag

let hasSideEffects = 0 in {
  // Pairs are the same or have no register in common, so that the first of the two never spoils a source of the second.
  def ADD64rr : Pseudo<(outs DPair:$d), (ins DPair:$a, DPair:$b)>;
  def ADD64ri : Pseudo<(outs DPair:$d), (ins DPair:$a, word:$blo, word:$bhi)>;
  def ADD64rz : Pseudo<(outs DPair:$d), (ins DPair:$a, GPR:$b)>;  // b zero extended
  def SUB64rr : Pseudo<(outs DPair:$d), (ins DPair:$a, DPair:$b)>;
  def SUB64ir : Pseudo<(outs DPair:$d), (ins word:$alo, word:$ahi, DPair:$b)>;
  def SET64rr : Pseudo<(outs GPR:$rc), (ins cc:$cc, GPR:$alo, GPR:$ahi, GPR:$blo, GPR:$bhi)>;
  def SET64ri : Pseudo<(outs GPR:$rc), (ins cc:$cc, GPR:$alo, GPR:$ahi, word:$blo, word:$bhi)>;
}
let isBranch = 1, isTerminator = 1 in {
  def J64rr : Pseudo<(outs), (ins cc:$cc, GPR:$alo, GPR:$ahi, GPR:$blo, GPR:$bhi, branchTarget:$target)>;
  def J64ri : Pseudo<(outs), (ins cc:$cc, GPR:$alo, GPR:$ahi, word:$blo, word:$bhi, branchTarget:$target)>;
}
// What those become.
let hasSideEffects = 1 in {
  def ADDCrr : DPUInst<(outs GPR:$rc), (ins GPR:$ra, GPR:$rb), "addc\t$rc, $ra, $rb">;
  def ADDCri : DPUInst<(outs GPR:$rc), (ins GPR:$ra, word:$imm), "addc\t$rc, $ra, $imm">;
  def SUBCrr : DPUInst<(outs GPR:$rc), (ins GPR:$ra, GPR:$rb), "subc\t$rc, $ra, $rb">;
  def SUBCir : DPUInst<(outs GPR:$rc), (ins word:$imm, GPR:$ra), "subc\t$rc, $imm, $ra">;
  def CMPrr : DPUInst<(outs), (ins GPR:$ra, GPR:$rb), "sub\tzero, $ra, $rb">;
  def CMPri : DPUInst<(outs), (ins GPR:$ra, word:$imm), "sub\tzero, $ra, $imm, false">;
  def SETCri : DPUInst<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, word:$imm), "subc\t$rc, $ra, $imm, $cc">;
  def SETCrr : DPUInst<(outs GPR:$rc), (ins cc:$cc, GPR:$ra, GPR:$rb), "subc\t$rc, $ra, $rb, $cc">;
  let isBranch = 1, isTerminator = 1 in
  def JCri : DPUInst<(outs), (ins cc:$cc, GPR:$ra, word:$imm, branchTarget:$target), "subc\tzero, $ra, $imm, $cc, $target">;
  let isBranch = 1, isTerminator = 1 in
  def JCrr : DPUInst<(outs), (ins cc:$cc, GPR:$ra, GPR:$rb, branchTarget:$target), "subc\tzero, $ra, $rb, $cc, $target">;
}

def MUL_STEP : DPUInst<(outs DPair:$dc), (ins GPR:$ra, DPair:$db, shiftAmount:$shift),
                       "mul_step\t$dc, $ra, $db, $shift">;
let isBranch = 1, isTerminator = 1 in
  def MUL_STEP_J : DPUInst<(outs DPair:$dc), (ins GPR:$ra, DPair:$db, shiftAmount:$shift, cc:$cc, branchTarget:$target),
                           "mul_step\t$dc, $ra, $db, $shift, $cc, $target">;

// ---- 32-bit products: as many steps as the smaller factor has bits, without a call. 35 instructions each.

let hasSideEffects = 0 in {
  // pair: multiplier (even), sum (odd)
  let Constraints = "@earlyclobber $pair,@earlyclobber $factor" in
  def MULTIPLY : Pseudo<(outs DPair:$pair, GPR:$factor), (ins GPR:$ra, GPR:$rb)>;
  let Constraints = "$pair = $sum,@earlyclobber $pair,@earlyclobber $factor" in
  def MULTIPLY_ADD : Pseudo<(outs DPair:$pair, GPR:$factor), (ins DPair:$sum, GPR:$ra, GPR:$rb)>;
}

// ---- memory

let mayLoad = 1, hasSideEffects = 0 in {
  class Load<string mnemonic> : DPUInst<(outs GPR:$rc), (ins address:$a), mnemonic#"\t$rc, $a">;
  def LW : Load<"lw">;
  def LBU : Load<"lbu">;
  def LBS : Load<"lbs">;
  def LHU : Load<"lhu">;
  def LHS : Load<"lhs">;
  def LD : DPUInst<(outs DPair:$dc), (ins address:$a), "ld\t$dc, $a">;
}
let mayStore = 1, hasSideEffects = 0 in {
  class Store<string mnemonic> : DPUInst<(outs), (ins GPR:$rb, address:$a), mnemonic#"\t$a, $rb">;
  class StoreNumber<string mnemonic> : DPUInst<(outs), (ins word:$imm, address:$a), mnemonic#"\t$a, $imm">;
  def SW : Store<"sw">;
  def SH : Store<"sh">;
  def SB : Store<"sb">;
  def SD : DPUInst<(outs), (ins DPair:$db, address:$a), "sd\t$a, $db">;
  def SWi : StoreNumber<"sw">;
  def SHi : StoreNumber<"sh">;
  def SBi : StoreNumber<"sb">;
  def SDi : StoreNumber<"sd">;
}
def : Pat<(i32 (load addressWide:$a)), (LW addressWide:$a)>;
def : Pat<(i32 (zextloadi8 addressWide:$a)), (LBU addressWide:$a)>;
def : Pat<(i32 (extloadi8 addressWide:$a)), (LBU addressWide:$a)>;
def : Pat<(i32 (sextloadi8 addressWide:$a)), (LBS addressWide:$a)>;
def : Pat<(i32 (zextloadi16 addressWide:$a)), (LHU addressWide:$a)>;
def : Pat<(i32 (extloadi16 addressWide:$a)), (LHU addressWide:$a)>;
def : Pat<(i32 (sextloadi16 addressWide:$a)), (LHS addressWide:$a)>;
def : Pat<(store i32:$v, addressWide:$a), (SW GPR:$v, addressWide:$a)>;
def : Pat<(truncstorei16 i32:$v, addressWide:$a), (SH GPR:$v, addressWide:$a)>;
def : Pat<(truncstorei8 i32:$v, addressWide:$a), (SB GPR:$v, addressWide:$a)>;
let AddedComplexity = 10 in {
  def : Pat<(store imm16:$v, addressNarrow:$a), (SWi imm16:$v, addressNarrow:$a)>;
  def : Pat<(truncstorei16 imm16:$v, addressNarrow:$a), (SHi imm16:$v, addressNarrow:$a)>;
  def : Pat<(truncstorei8 imm8:$v, addressNarrow:$a), (SBi imm8:$v, addressNarrow:$a)>;
}
// The address of a thing on the stack.
let hasSideEffects = 0 in
  def LEA : Pseudo<(outs GPR:$rc), (ins GPRZ:$base, word:$offset)>;

// ---- calls

let isCall = 1, Defs = [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R23], Uses = [R22] in {
  def CALL : DPUInst<(outs), (ins callTarget:$target, variable_ops), "call\tr23, $target">;
  def CALLr : DPUInst<(outs), (ins GPR:$target, variable_ops), "call\tr23, $target">;
}
def : Pat<(dpuCall tglobaladdr:$f), (CALL tglobaladdr:$f)>;
def : Pat<(dpuCall texternalsym:$f), (CALL texternalsym:$f)>;
def : Pat<(dpuCall i32:$f), (CALLr GPR:$f)>;

let isReturn = 1, isTerminator = 1, isBarrier = 1, Uses = [R23] in
  def RETURN : DPUInst<(outs), (ins variable_ops), "jump\tr23", [(dpuReturn)]>;

let Defs = [R22], Uses = [R22] in {
  def CALL_START : Pseudo<(outs), (ins i32imm:$a, i32imm:$b), [(callStart timm:$a, timm:$b)]>;
  def CALL_END : Pseudo<(outs), (ins i32imm:$a, i32imm:$b), [(callEnd timm:$a, timm:$b)]>;
}

let isTerminator = 1, isBarrier = 1, hasSideEffects = 1 in
  def FAULT : DPUInst<(outs), (ins), "fault\t1", [(trap)]>;
let hasSideEffects = 1 in {
  def BREAK : DPUInst<(outs), (ins), "fault\t2", [(debugtrap)]>;
  // A barrier for the compiler alone: a tasklet sees memory in order.
  def FENCE : DPUInst<(outs), (ins), "", [(atomic_fence timm, timm)]> { let Size = 0; }
}
