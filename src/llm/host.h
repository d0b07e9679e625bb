// A GPU as a host: its machine file, its model of time, and its energy in two ways.
#pragma once

#include "pimento/base/diagnostics.h"
#include "pimento/llm/gpu_model.h"
#include "pimento/machine/machine.h"

namespace pimento::llm {

struct Host {
  machine::Machine machine;
  machine::Machine study;  ///< the same, with the energies of the published studies
  GpuModel gpu;
};

/// The set of energies that published studies use, in hosts and in PIM devices.
inline constexpr const char *kStudySet = "study";

/// Reads the table of measured times where the host has one. Diagnostics: missing-section, those of energy::check and
/// GpuTable::parse, unreadable-file.
Result<Host> makeHost(machine::Machine machine, machine::Machine study);

}  // namespace pimento::llm
