// `targets [NAME]`: the machines, or one with the source of every number; `--schema`: the keys of machine files.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {

struct MachineAnswer {
  enum class Kind : std::uint8_t { kList, kOne, kSchema } kind = Kind::kList;
  std::vector<machine::Machine> machines;  ///< none with `--schema`, whose rows are machine::schema's
};

/// `options.input` holds the name.
Result<MachineAnswer> targets(const Options &options);
Outcome show(const MachineAnswer &answer, const Options &options);

}  // namespace pimento::driver
