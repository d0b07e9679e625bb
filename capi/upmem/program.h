// Programs of DPUs: reading them, and giving them to DPUs.
#pragma once

#include <string>
#include <string_view>

#include "system.h"

namespace pimento::upmem {

/// A program of any form that loadProgram (dpu/load.h) takes, for the machine of `s`, on every DPU of `s`; `file` is
/// for messages. DPU_ERR_ELF_INVALID_FILE, DPU_ERR_TOO_MANY_TASKLETS.
Outcome load(const Selection &s, std::string_view contents, const std::string &file, dpu_program_t **program);

/// Runs the programs of all DPUs once; `isOpen`: System::isOpen when the launch was begun. DPU_ERR_NO_PROGRAM_LOADED,
/// DPU_ERR_DPU_FAULT, DPU_ERR_TIMEOUT.
Outcome launch(const Selection &s, const Account::Place &place, bool isOpen);

}  // namespace pimento::upmem
