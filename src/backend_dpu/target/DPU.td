// UPMEM's DPU as an LLVM target: what TableGen needs to make selection, register tables and the printer.
include "llvm/Target/Target.td"
include "registers.td"
include "calling_convention.td"
include "instructions.td"

def DPUInstrInfo : InstrInfo;
def : ProcessorModel<"dpu", NoSchedModel, []>;

def DPU : Target {
  let InstructionSet = DPUInstrInfo;
}
