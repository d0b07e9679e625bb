// Programs of kernels whose parts each run a microkernel of their own: element-wise ones and streamed sums.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/base/integer.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

/// The images of such a program.
inline constexpr int kCrfImage = 0, kControlImage = 1, kScalarImage = 2;

/// Writes the program and its microkernels into `out`; a part learns where its microkernel lies. `body(commands, part,
/// number)` adds what part `number` runs.
template <typename Part, typename Body>
void writeProgram(Lowered &out, std::vector<Part> &parts, const Stream &stream, const machine::Machine &machine,
                  const Body &body) {
  constexpr std::int64_t kInstructionsPerBurst = 8;
  std::int64_t crfBursts = 0;
  for (Part &p : parts) {
    p.crfBurst = crfBursts;
    p.crfBursts = ceilDiv(static_cast<std::int64_t>(p.code.crf.size()), kInstructionsPerBurst);
    crfBursts += p.crfBursts;
    out.microkernels.push_back(p.code.crf);
  }
  out.program.target = machine.name;
  out.program.images = {
      {"crf", crfBursts, false}, {"control", 2, false}, {"scalars", static_cast<std::int64_t>(parts.size()), false}};
  out.program.processes.push_back(stream.process({}, [&](std::vector<CommandNode> &commands) {
    for (std::size_t i = 0; i < parts.size(); ++i) body(commands, parts[i], static_cast<std::int64_t>(i));
  }));
}

}  // namespace pimento::targets::hbm_pim
