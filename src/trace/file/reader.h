// A saved trace as a stream (format.h).
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/file/format.h"
#include "pimento/trace/file/models.h"
#include "pimento/trace/file/table.h"
#include "pimento/trace/stream.h"

namespace pimento::trace::file {

/// Whether bytes begin like a saved trace.
bool isTrace(std::string_view bytes);

class Reader {
 public:
  /// Looks at the whole file's frame, and reads its end. `file`: for messages. Diagnostics: "trace-magic" (no trace),
  /// "trace-version" (of a newer or older Pimento), "trace-length" (cut, or something follows), "trace-checksum"
  /// (altered), "trace-contents" (what no trace can have).
  static Result<std::unique_ptr<Reader>> open(std::unique_ptr<std::istream> in, const std::string &file);

  const Program &program() const { return program_; }
  const ProgramEnd &end() const { return end_; }
  bool hasValues() const { return hasValues_; }

  /// Hands on what the trace holds, as long as the consumer wants more; its instructions live as long as this.
  /// Diagnostics: "trace-checksum", "trace-contents".
  Status run(Consumer &consumer);

 private:
  struct Place {
    Chunk kind;
    std::uint64_t at = 0;  ///< of its first byte
    std::uint32_t bytes = 0;
  };

  Reader(std::unique_ptr<std::istream> in, std::string file) : in_(std::move(in)), file_(std::move(file)) {}
  Diagnostic wrong(std::string_view code, const std::string &what, std::uint64_t at) const;
  Status findChunks();
  Result<std::string> chunk(const Place &place);
  Status readHead();
  Status readEnd();
  /// False: the contents are wrong.
  bool runBlocks(std::string_view bytes, Consumer &consumer);
  bool takeEntry(std::uint32_t &number);
  bool takeAddress(const Slot &slot, std::uint64_t &address);

  std::unique_ptr<std::istream> in_;
  std::string file_;
  std::vector<Place> places_;
  Program program_;
  ProgramEnd end_;
  bool hasValues_ = false;
  std::uint32_t version_ = kVersion;
  Table table_;
  EntryModel entries_;
  AddressModel addresses_;
  std::array<ByteReader, kSections> sections_;
  std::uint64_t entryRun_ = 0, accessRun_ = 0;  ///< foreseen ones that are left
};

}  // namespace pimento::trace::file
