// Data of DPU programs: what `--in` writes before a launch and `--out` reads after it.
//
//   --in  PLACE=FILE                  raw bytes, or the elements of an .npy array
//   --in  PLACE=TYPE:V,V,V*100        values; V*N: N times V
//   --out PLACE[:BYTES]=FILE          raw
//   --out PLACE[:TYPE[N]]=FILE.npy    an array
//   --out PLACE:TYPE[N]               into the report
//
// PLACE is SYMBOL or SYMBOL+BYTES (a variable in WRAM or MRAM), mram+BYTES (from its first byte) or heap+BYTES (from
// the first byte of MRAM that the program leaves free). Symbols of these names go before. Numbers are decimal or 0x.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/dtype.h"
#include "pimento/base/units.h"
#include "pimento/machine/machine.h"
#include "pimento/program/code.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

/// A place in a DPU's memory.
struct DpuPlace {
  std::string text;  ///< as written
  bool isMram = false;
  std::uint32_t address = 0;  ///< in its memory
  Bytes room;                 ///< to the end of the symbol where it has a size, else of the memory
  Bytes size;                 ///< what is left of the symbol; 0: not known
};

struct DpuInput {
  DpuPlace place;
  std::vector<std::byte> bytes;
  std::int64_t times = 1;  ///< the bytes stand there so often, one behind the other

  Bytes size() const { return Bytes(static_cast<std::int64_t>(bytes.size()) * times); }
};

struct DpuOutput {
  DpuPlace place;
  std::optional<DType> type;
  Bytes bytes;
  std::string file;  ///< empty: into the report
  std::string text;  ///< place and type as written
};

/// Texts of `--in`. Diagnostics: dpu-data-option (not of the forms above), dpu-data-symbol, dpu-data-place (a symbol
/// that is no variable), dpu-data-bounds, dpu-data-value, and those of files.
Result<std::vector<DpuInput>> parseDpuInputs(const std::vector<std::string> &texts, const program::Code &code,
                                             const machine::Dpu &machine);
/// Texts of `--out`. Diagnostics: the same, and dpu-data-size (nothing says how many bytes).
Result<std::vector<DpuOutput>> parseDpuOutputs(const std::vector<std::string> &texts, const program::Code &code,
                                               const machine::Dpu &machine);

void write(const DpuInput &input, sim::dpu::Dpu &dpu);
std::vector<std::byte> read(const DpuOutput &output, const sim::dpu::Dpu &dpu);
/// Writes the file of an output. Diagnostics: unwritable-file, unsupported-npy.
Status save(const DpuOutput &output, std::vector<std::byte> bytes);

}  // namespace pimento::targets::upmem
