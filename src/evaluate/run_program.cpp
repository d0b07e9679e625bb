#include "pimento/evaluate/run_program.h"

#include "pimento/evaluate/cnm_backend.h"
#include "pimento/evaluate/hbm_pim_backend.h"

namespace pimento::evaluate {

DeviceRun runProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode) {
  return program::isVirtual(program) ? runUnitProgram(program, machine, mode)
                                     : runChannelProgram(program, machine, mode);
}

}  // namespace pimento::evaluate
