// Static libraries: `ar` files in GNU's format, with long names, as `ar`, `llvm-ar` and `gcc-ar` write them.
//
// Their index of symbols is passed over: the linker reads the objects. Thin archives hold names of files instead of
// files. From the public description of the format (ar(5), System V and GNU variants).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::dpu {

/// Does a file begin as an archive, thin ones included?
bool isArchive(std::string_view bytes);

struct ArchiveMember {
  std::string name;
  std::string_view contents;  ///< into the archive's bytes; of a thin archive nothing
  bool isElsewhere = false;   ///< of a thin archive: `name` is a file, relative to the archive's folder
};

/// In the archive's order. `file` is for messages. Diagnostic: dpu-archive.
Result<std::vector<ArchiveMember>> readArchive(std::string_view bytes, const std::string &file);

}  // namespace pimento::dpu
