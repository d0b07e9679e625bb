#include "pimento/evaluate/run_program.h"

#include "pimento/evaluate/cnm_backend.h"
#include "pimento/evaluate/hbm_pim_backend.h"

namespace pimento::evaluate {

DeviceRun runProgram(const program::Program &program, const machine::Machine &machine, const RunMode &mode,
                     std::int64_t ranks) {
  return program::isVirtual(program) ? runUnitProgram(program, machine, mode, ranks)
                                     : runChannelProgram(program, machine, mode);
}

}  // namespace pimento::evaluate
