// A consumer that saves a stream as a trace (format.h). The same stream gives the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/file/format.h"
#include "pimento/trace/file/models.h"
#include "pimento/trace/file/table.h"
#include "pimento/trace/stream.h"

namespace pimento::trace::file {

class Writer final : public Consumer {
 public:
  /// `out` outlives this. Accesses keep their values where `hasValues`.
  Writer(std::ostream &out, bool hasValues);

  void onStart(const Program &program, bool /*hasValues*/) override { program_ = program; }
  void onBlock(const Block &block, int count, std::span<const Access> accesses) override;
  /// Where the program's instructions come from; before finish().
  void setSources(SourceMap sources) { program_.sources = std::move(sources); }
  /// Writes the rest, once nothing comes any more. False: `out` did not take all.
  bool finish(const ProgramEnd &end);

 private:
  void onAccess(const Shape &shape, const Access &access);
  void writeChunk(Chunk kind, std::string_view bytes);
  void writeBlocks();

  std::ostream &out_;
  bool hasValues_;
  Program program_;
  Table table_;
  EntryModel entries_;
  AddressModel addresses_;
  std::array<std::string, kSections> sections_;
  std::uint64_t entryRun_ = 0, accessRun_ = 0;  ///< foreseen since the last one that was not
  std::uint32_t entryCount_ = 0;                ///< of this chunk
};

}  // namespace pimento::trace::file
