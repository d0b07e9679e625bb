// Transfers between host memory and variables of DPU programs: where they go, whether they may, and doing them.
#pragma once

#include <dpu_types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "system.h"

namespace pimento::upmem {

/// Bytes in the memory of DPUs.
struct Area {
  bool isMram = false;
  std::uint32_t address = 0;  ///< in its memory
  std::size_t length = 0;
};

/// Finds variable `name` in the program of every DPU of `s`. DPU_ERR_NO_PROGRAM_LOADED, DPU_ERR_UNKNOWN_SYMBOL,
/// DPU_ERR_DIFFERENT_DPU_PROGRAMS, and those of locate().
Outcome locate(const Selection &s, const char *name, std::uint32_t offset, std::size_t length, Area &area);
/// `length` bytes from `offset` of a variable. DPU_ERR_INVALID_IRAM_ACCESS, DPU_ERR_INVALID_SYMBOL_ACCESS,
/// DPU_ERR_INVALID_MRAM_ACCESS, DPU_ERR_INVALID_WRAM_ACCESS, DPU_ERR_NO_PROGRAM_LOADED.
Outcome locate(const Selection &s, const dpu_symbol_t &symbol, std::uint32_t offset, std::size_t length, Area &area);

/// A variable of `program`. DPU_ERR_UNKNOWN_SYMBOL.
Outcome findSymbol(const dpu_program_t &program, std::string_view name, dpu_symbol_t &symbol);

void writeTo(dpu_t &dpu, const Area &area, const void *from);
void readFrom(const dpu_t &dpu, const Area &area, void *to);

/// One DPU and its host memory.
struct Part {
  dpu_t *dpu = nullptr;
  void *buffer = nullptr;
};
/// Moves all parts, on several threads where that pays.
void moveAll(const Setup &setup, const std::vector<Part> &parts, const Area &area, bool isToDpu);

}  // namespace pimento::upmem
