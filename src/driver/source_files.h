// Source files of a program of a host: found by the names that its debug information has, and compared with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/source_map.h"

namespace pimento::driver {

struct Options;

enum class SourceState : std::uint8_t {
  kMissing,    ///< it was not found
  kSame,       ///< its checksum is that of the debug information
  kUnchecked,  ///< debug information has no checksum; it is older than the program
  kNewer,      ///< likewise, but it was changed since the program was built
  kChanged,    ///< its checksum is another one
};
/// "missing" "same" "unchecked" "newer" "changed".
std::string_view name(SourceState state);

struct FoundSource {
  std::string file;  ///< as debug information has it
  std::string path;  ///< where it was found
  SourceState state = SourceState::kMissing;
  std::vector<std::string> lines;
};

class SourceFinder {
 public:
  /// --sources and --source-map. Diagnostics: "bad-source-map" (no OLD=NEW), "no-source-folder".
  static Result<SourceFinder> make(const Options &options);

  /// Where --source-map says it is, else where it was, else below the folders of --sources: the longest end of its name
  /// that is there.
  FoundSource find(const trace::SourceFile &file) const;

 private:
  std::filesystem::path pathOf(const std::string &name) const;

  struct Renaming {
    std::string from, to;
  };
  std::vector<Renaming> renamings_;
  std::vector<std::filesystem::path> folders_;
  std::filesystem::file_time_type builtAt_ = std::filesystem::file_time_type::max();  ///< of program or trace
};

}  // namespace pimento::driver
